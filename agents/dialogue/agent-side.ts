import type { AgentState } from "./action.js";
import type { ModelToolCall, ToolResult } from "./input.js";
import { CONTINUE, instructionFor, type Purpose } from "./instructions.js";
import { phrasesOf } from "./language/phrases.js";
import type { LatencyMeter } from "./latency.js";
import { type ModelOutcome, type ModelRequest, ModelRequests } from "./model-requests.js";
import type { Outbox } from "./outbox.js";
import type { Reply, ReplyOver } from "./reply.js";
import type { DialogueSettings } from "./settings.js";
import { type HoldReason, Speaker } from "./speaker.js";
import { ToolCalls } from "./tools/tool-calls.js";
import { ToolRounds } from "./tools/tool-rounds.js";

/** The responder of what no model wrote. */
const FIXED = "fixed";

/** Failures of the voice in a row after which a conversation cannot go on. */
const MAX_VOICE_FAILURES = 2;

interface AgentSideOptions {
  settings: DialogueSettings;
  outbox: Outbox;
  meter: LatencyMeter;
  /** What answers, such as a model's name. */
  responder: string;
  onReplyOver(over: ReplyOver): void;
}

/**
 * What the agent does: asks the model, speaks its answer, makes its tool calls. At most one request is in flight and
 * at most one reply is open at any time.
 */
export class AgentSide {
  readonly #options: AgentSideOptions;
  readonly #requests: ModelRequests;
  readonly #speaker: Speaker;
  readonly #tools: ToolCalls;
  readonly #rounds = new ToolRounds();
  /** Why the conversation ends with the reply. */
  #end: ReplyOver["end"] = null;
  #failures = 0;
  #voiceFailures = 0;

  constructor(options: AgentSideOptions) {
    const { settings, outbox, meter } = options;
    this.#options = options;
    this.#requests = new ModelRequests(outbox);
    this.#tools = new ToolCalls(settings, outbox);
    const onOver = (reply: Reply, isInterrupted: boolean): void => this.#replyOver(reply, isInterrupted);
    this.#speaker = new Speaker({ outbox, meter, language: settings.language, onOver });
  }

  /** It answers, or is about to. */
  get isBusy(): boolean {
    return this.#speaker.reply !== null || this.#requests.current?.isReleased === true;
  }

  get hasRequest(): boolean {
    return this.#requests.current !== null;
  }

  get isAudible(): boolean {
    return this.#speaker.isAudible;
  }

  /** Text is on its way to the caller, or more of a reply that began. */
  get isTalking(): boolean {
    return this.#speaker.hasSpoken && (this.#speaker.reply?.isSpeaking === true || this.hasRequest);
  }

  /** Whether the caller may still take the floor. */
  get isInterruptible(): boolean {
    return this.#options.settings.isInterruptible || !this.#speaker.hasSpoken;
  }

  /** Whether what the caller heard last is a question. */
  get hasJustAsked(): boolean {
    return this.#speaker.hasJustAsked;
  }

  /** Whether a tool's result waits for a pause to be told in. */
  get hasUndelivered(): boolean {
    return this.#tools.hasUndelivered;
  }

  /** Somebody is being asked to take the caller. */
  get isTransferring(): boolean {
    return this.#tools.isTransferring;
  }

  /** What the room shows. */
  get state(): AgentState {
    const { reply, isHeld } = this.#speaker;
    if (!this.isBusy || reply?.isPaused === true) return "listening";
    if (reply?.isAudible === true && reply.isSpeaking) return "speaking";
    return isHeld ? "listening" : "thinking";
  }

  /** Asks for the answer to a turn, or takes the one that was asked for in the caller's pause. */
  answer(turnId: number, words: string, nowMs: number): void {
    this.dropOtherThan(words);
    const request = this.#requests.current;
    if (request === null) return this.ask("turn", turnId, nowMs);
    this.#beginTurn();
    request.isReleased = true;
    this.#pump(nowMs);
  }

  /** Asks before it is sure that the caller is done. */
  speculate(words: string, nowMs: number): void {
    this.#requests.speculate(words, nowMs);
  }

  /** The caller has said something else than was assumed. */
  dropOtherThan(words: string): void {
    if (this.#requests.isForOther(words)) this.#requests.drop();
  }

  /** Asks the model to say something, the caller's turn being over. */
  ask(purpose: Purpose, turnId: number, nowMs: number): void {
    this.#beginTurn();
    if (purpose === "deliver") this.#tools.deliver();
    this.#ask(purpose, turnId, nowMs);
  }

  /** Says a text that no model wrote. */
  say(purpose: Purpose, turnId: number, text: string, nowMs: number): void {
    this.#beginTurn();
    this.#speaker.open({ purpose, turnId, responder: FIXED });
    this.#speaker.say(text, nowMs, null);
    this.#speaker.complete(nowMs);
  }

  /** Goes on where a former runtime stopped. */
  resume(nowMs: number): void {
    const { memory } = this.#options.outbox;
    this.#tools.resume();
    const open = memory.openReply;
    if (open === null) return;
    const { turnId, isComplete, text } = open;
    const ownPurpose: Purpose = turnId === 0 ? "greeting" : "turn";
    const purpose = memory.answeredBy === "voicemail" ? "voicemail" : ownPurpose;
    const isBetweenRounds = this.#leavesNext || this.#tools.isAwaiting || memory.endsWithCalls;
    if (this.#tools.hangsUp) this.#end = { reason: "agent_hung_up", detail: null };
    this.#speaker.resume(open, purpose);
    this.#pump(nowMs);
    if (isComplete) return this.#speaker.complete(nowMs);
    if (isBetweenRounds) return this.#afterTools(nowMs);
    if (text === "") return this.#ask(purpose, turnId, nowMs);
    this.#requests.ask({ purpose, turnId, instruction: CONTINUE }, nowMs);
  }

  modelText(requestId: string, text: string, nowMs: number): void {
    this.#requests.text(requestId, text, nowMs);
    this.#pump(nowMs);
  }

  modelToolCall(requestId: string, call: ModelToolCall): void {
    this.#requests.toolCall(requestId, call);
  }

  modelEnded(requestId: string, outcome: ModelOutcome, nowMs: number): void {
    this.#requests.ended(requestId, outcome);
    this.#pump(nowMs);
  }

  audible(replyId: string, nowMs: number): void {
    this.#speaker.audible(replyId, nowMs);
  }

  heard(input: { replyId: string; characters: number; isOver: boolean }): void {
    this.#speaker.heard(input);
  }

  /** The voice failed: the reply is over with what was heard of it. */
  speechFailed(replyId: string, detail: string): void {
    if (this.#speaker.reply?.replyId !== replyId) return;
    if (++this.#voiceFailures >= MAX_VOICE_FAILURES) return this.stop({ reason: "error", detail });
    this.stop(this.#end);
  }

  toolResult(callId: string, result: ToolResult, nowMs: number): void {
    const wasAwaiting = this.#tools.isAwaiting;
    this.#tools.result(callId, result);
    if (wasAwaiting) this.#afterTools(nowMs);
  }

  /** Somebody has taken the caller. */
  transferred(): void {
    this.#tools.transferred();
    this.stop();
  }

  /** Falls silent until `release`; what comes meanwhile waits. */
  hold(reason: HoldReason): void {
    this.#speaker.hold(reason);
  }

  release(reason: HoldReason, nowMs: number): void {
    if (this.#speaker.release(reason)) this.#pump(nowMs);
  }

  /** Ends the reply and drops the request: the caller hears no more. `end`: nor of anything else. */
  stop(end: ReplyOver["end"] = null): void {
    if (this.#requests.current?.isBegun === false) this.#tools.notDelivered();
    this.#requests.drop();
    this.#end = end;
    this.#speaker.interrupt();
  }

  /** The caller wants to hear no answer to the turn. */
  leaveUnanswered(): void {
    const request = this.#requests.current;
    if (request?.isReleased === true) this.#openReply(request, FIXED);
    this.stop();
  }

  /** The conversation is over. */
  end(): void {
    this.stop();
    this.#tools.cancelAll();
  }

  /** When `tick` is due; infinity when nothing waits for time. */
  nextWakeMs(): number {
    const isWaiting = this.#speaker.reply !== null && this.#tools.isAwaiting && !this.#speaker.isHeld;
    return isWaiting ? this.#rounds.fillerAtMs : Number.POSITIVE_INFINITY;
  }

  /** Says that it takes a moment, when it does; true when it did. */
  tick(nowMs: number): boolean {
    if (nowMs < this.nextWakeMs()) return false;
    this.#rounds.filled();
    this.#speaker.say(phrasesOf(this.#options.settings.language).filler, nowMs, null);
    return true;
  }

  #beginTurn(): void {
    this.#rounds.beginTurn();
    this.#end = null;
  }

  #ask(purpose: Purpose, turnId: number, nowMs: number): void {
    const instruction = instructionFor(purpose, this.#options.settings);
    this.#requests.ask({ purpose, turnId, instruction }, nowMs);
  }

  /** Passes on what the answer has, as far as it may be said now. */
  #pump(nowMs: number): void {
    if (this.#speaker.isHeld) return;
    this.#speaker.speakRest(nowMs);
    const request = this.#requests.current;
    if (request?.isReleased !== true) return;
    if (request.text.trim() !== "" || request.isBegun) {
      this.#openReply(request);
      this.#speaker.say(request.text, nowMs, request);
      request.text = "";
      request.isBegun = true;
    }
    if (request.outcome === null) return;
    this.#requests.close();
    this.#tools.delivered();
    if (request.outcome.type === "failed") return this.#failed(request, request.outcome.detail, nowMs);
    this.#failures = 0;
    this.#openReply(request);
    if (request.calls.length === 0) this.#speaker.complete(nowMs);
    else this.#startRound(request, nowMs);
  }

  #startRound({ calls, turnId }: ModelRequest, nowMs: number): void {
    if (!this.#rounds.begin(!this.#speaker.hasSpoken, nowMs)) {
      // The model does not come to an end; what it wants to call now is not called.
      if (!this.#speaker.hasSpoken) this.#speaker.say(phrasesOf(this.#options.settings.language).apology, nowMs, null);
      return this.#speaker.complete(nowMs);
    }
    this.#speaker.show(nowMs, true);
    this.#tools.start(calls, turnId);
    if (this.#tools.hangsUp) this.#end = { reason: "agent_hung_up", detail: null };
    // Who is put through without a word takes the silence for a lost line.
    if (this.#tools.transfersNext && !this.#speaker.hasSpoken)
      this.#speaker.say(phrasesOf(this.#options.settings.language).filler, nowMs, null);
    this.#afterTools(nowMs);
  }

  /** The caller hears nothing of the agent after this reply, or not for now. */
  get #leavesNext(): boolean {
    return this.#tools.hangsUp || this.#tools.transfersNext;
  }

  /** Where all results are there, the model goes on, or the agent hangs up or transfers the caller. */
  #afterTools(nowMs: number): void {
    const { reply } = this.#speaker;
    if (reply === null || this.#tools.isAwaiting || this.hasRequest) return;
    if (this.#leavesNext) return this.#speaker.complete(nowMs);
    this.#ask(reply.purpose, reply.turnId, nowMs);
  }

  #failed(request: ModelRequest, detail: string, nowMs: number): void {
    const { apology, lastSentence } = phrasesOf(this.#options.settings.language);
    this.#openReply(request, FIXED);
    // A goodbye that cannot be had is left out, and so is a message.
    if (request.purpose === "farewell" || request.purpose === "voicemail") return this.#speaker.complete(nowMs);
    const isLast = ++this.#failures > 1;
    if (isLast) this.#end = { reason: "llm_endpoint_failure", detail };
    this.#speaker.say(isLast ? lastSentence : apology, nowMs, null);
    this.#speaker.complete(nowMs);
  }

  #openReply({ purpose, turnId }: ModelRequest, responder = this.#options.responder): void {
    this.#speaker.open({ purpose, turnId, responder });
  }

  #replyOver({ purpose, isGiven, isTextOnly }: Reply, isInterrupted: boolean): void {
    const end = this.#end;
    this.#end = null;
    if (isGiven && !isInterrupted && !isTextOnly) this.#voiceFailures = 0;
    this.#tools.replyOver({ hangsUp: end?.reason === "agent_hung_up", isInterrupted });
    this.#options.onReplyOver({ purpose, isInterrupted, end });
  }
}
