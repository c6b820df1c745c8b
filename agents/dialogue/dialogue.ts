import type { EndReason } from "#protocol/bus/conversation-log";
import type { AnsweredBy } from "#protocol/webhooks";
import type { AgentState, DialogueAction } from "./action.js";
import { AgentSide } from "./agent-side.js";
import { CallerSide } from "./caller-side.js";
import type { DialogueInput, DialogueMessage, ToolResult } from "./input.js";
import { LatencyMeter } from "./latency.js";
import { Memory } from "./memory.js";
import { Outbox } from "./outbox.js";
import type { ReplyOver } from "./reply.js";
import type { DialogueSettings } from "./settings.js";
import { Silence } from "./silence.js";

/** How long a reply may go on when the conversation is to end. */
const MAX_POLITE_MS = 10_000;

/** Silence of both sides that makes a pause in which results of the background are told. */
const NATURAL_PAUSE_MS = 700;

export interface DialogueOptions {
  settings: DialogueSettings;
  nowMs: number;
  /** What answers, such as a model's name. */
  responder: string;
}

/** What a dialogue goes on from. */
export interface DialoguePast {
  memory: Memory;
  /** When the caller joined first, on the clock of `nowMs`; null when nobody did. */
  joinedAtMs: number | null;
  /** Begins the ids of the caller's transcripts. */
  segmentPrefix: string;
}

/**
 * A conversation of one agent with one caller, as a state machine without clock, network, timer or randomness. What
 * happens is put in with `input`, which gives what is to be done, in order; when nothing happens until `nextWakeMs`,
 * put in a tick.
 *
 * Invariants, in whatever order inputs come: at most one reply is spoken; `history` holds what the caller heard, not
 * what was generated; each tool call gets exactly one result; nothing follows the end.
 */
export class Dialogue {
  readonly #settings: DialogueSettings;
  readonly #memory: Memory;
  readonly #outbox: Outbox;
  readonly #agent: AgentSide;
  readonly #caller: CallerSide;
  readonly #silence: Silence;
  #nowMs: number;
  #joinedAtMs: number | null;
  #absentSinceMs: number;
  /** Why the dialogue ends as soon as the agent has said what it is saying. */
  #ending: { reason: EndReason; detail: string | null; byMs: number } | null = null;
  #isOver: boolean;
  /** Nobody knows yet whether a person or a machine answered: the agent waits. */
  #isDetecting: boolean;
  #state: AgentState = "initializing";

  constructor({ settings, nowMs, responder }: DialogueOptions, past: DialoguePast | null = null) {
    this.#settings = settings;
    this.#nowMs = nowMs;
    this.#memory = past?.memory ?? new Memory(settings.tools);
    this.#joinedAtMs = past?.joinedAtMs ?? null;
    this.#isOver = this.#memory.isOver;
    this.#isDetecting = past === null && settings.voicemail !== null;
    this.#absentSinceMs = nowMs;
    this.#outbox = new Outbox(this.#memory);
    this.#silence = new Silence(settings, nowMs);
    const parts = { settings, outbox: this.#outbox, meter: new LatencyMeter() };
    this.#agent = new AgentSide({ ...parts, responder, onReplyOver: (over) => this.#replyOver(over) });
    const segmentPrefix = past?.segmentPrefix ?? "";
    this.#caller = new CallerSide({ ...parts, agent: this.#agent, silence: this.#silence, segmentPrefix });
    if (past !== null && !this.#isOver && this.#memory.hasJoined) this.#resume();
    this.#advance();
  }

  /** What was said and done, as the caller heard it. */
  get history(): readonly DialogueMessage[] {
    return this.#memory.history();
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Takes what happened and gives what is to be done. Time that runs backwards stands still. */
  input(input: DialogueInput, nowMs: number): DialogueAction[] {
    if (this.#isOver) return [];
    this.#nowMs = Math.max(this.#nowMs, nowMs);
    const isMeant = this.#memory.isTransferred ? afterTransfer.has(input.type) : this.#memory.hasJoined;
    if (isMeant || beforeJoining.has(input.type)) this.#accept(input);
    this.#advance();
    return this.takeActions();
  }

  /** What is to be done that no input has given: how a dialogue goes on that another runtime began. */
  takeActions(): DialogueAction[] {
    return this.#outbox.take();
  }

  /** When a tick is due if nothing happens before, later than the last input; null when nothing waits for time. */
  nextWakeMs(): number | null {
    if (this.#isOver || this.#joinedAtMs === null) return null;
    const { absenceMs, maxDurationMs } = this.#settings;
    const wakes = this.#memory.isTransferred
      ? []
      : [this.#caller.nextWakeMs(this.#nowMs, this.#isClosing), this.#agent.nextWakeMs()];
    wakes.push(this.#ending === null ? this.#joinedAtMs + maxDurationMs : this.#ending.byMs);
    if (!this.#memory.isPresent) wakes.push(this.#absentSinceMs + absenceMs);
    if (this.#isQuiet) {
      wakes.push(this.#silence.hangUpAtMs(), this.#silence.reengageAtMs());
      if (this.#agent.hasUndelivered) wakes.push(this.#silence.bothSinceMs + NATURAL_PAUSE_MS);
    }
    return Math.min(...wakes);
  }

  #accept(input: DialogueInput): void {
    const nowMs = this.#nowMs;
    if (this.#isMachine && fromCaller.has(input.type)) return;
    switch (input.type) {
      case "answered-by":
        return this.#isDetecting ? this.#answered(input.answeredBy) : undefined;
      case "recording":
        return this.#isMachine ? this.#recording() : undefined;
      case "caller-joined":
        return this.#joined();
      case "caller-left":
        return this.#left();
      case "speech-started":
        return this.#memory.isPresent ? this.#caller.speechStarted(nowMs) : undefined;
      case "speech-paused":
        return this.#caller.speechPaused(input.lastVoicedMs, nowMs);
      case "partial":
        return this.#caller.partial(input.text, input.isUnsure ?? false, nowMs);
      case "transcript":
        return this.#caller.transcript(input.text, input.isUnsure ?? false, nowMs);
      case "transcribed":
        return this.#caller.transcribed(nowMs);
      case "typed":
        return this.#caller.typed(input, nowMs);
      case "activity":
        return this.#silence.callerActed(nowMs);
      case "interrupt":
        this.#silence.callerActed(nowMs);
        return this.#caller.interrupt();
      case "hang-up":
        return this.#callerGone();
      case "transferred":
        return this.#transferred(input.isOver);
      case "end":
        if (!input.isPolite) return this.#end(input.reason, input.detail);
        return this.#endPolitely(input.reason, input.detail);
      case "tick":
        return;
      default:
        return this.#acceptForAgent(input);
    }
  }

  #acceptForAgent(input: AgentInput): void {
    const nowMs = this.#nowMs;
    switch (input.type) {
      case "model-text":
        return this.#agent.modelText(input.requestId, input.text, nowMs);
      case "model-tool-call":
        return this.#agent.modelToolCall(input.requestId, input.call);
      case "model-finished":
        return this.#agent.modelEnded(input.requestId, { type: "finished" }, nowMs);
      case "model-failed":
        return this.#agent.modelEnded(input.requestId, { type: "failed", detail: input.detail }, nowMs);
      case "heard":
        return this.#agent.heard(input);
      case "reply-audible":
        return this.#agent.audible(input.replyId, nowMs);
      case "speech-failed":
        return this.#agent.speechFailed(input.replyId, input.detail);
      case "tool-result":
        return this.#toolAnswered(input.callId, input.result);
    }
  }

  #joined(): void {
    if (this.#memory.isPresent) return;
    const isFirst = !this.#memory.hasJoined;
    this.#outbox.record({ type: "caller-joined" });
    this.#joinedAtMs ??= this.#nowMs;
    this.#silence.callerActed(this.#nowMs);
    this.#agent.release("absence", this.#nowMs);
    if (isFirst && !this.#isDetecting) this.#greet(0);
  }

  #greet(turnId: number): void {
    const { firstMessage } = this.#settings;
    if (firstMessage.mode === "prompt") this.#agent.ask("greeting", turnId, this.#nowMs);
    if (firstMessage.mode === "fixed" && firstMessage.text.trim() !== "")
      this.#agent.say("greeting", turnId, firstMessage.text, this.#nowMs);
  }

  /** With a person it begins here: the first message answers what they said when they picked up. */
  #answered(answeredBy: AnsweredBy): void {
    this.#isDetecting = false;
    this.#outbox.record({ type: "answerer-detected", answeredBy });
    if (answeredBy === "voicemail") return this.#prepareMessage();
    const { mode } = this.#settings.firstMessage;
    if (mode !== "off") this.#greet(this.#caller.takeTurn(this.#nowMs));
  }

  #prepareMessage(): void {
    const { voicemail } = this.#settings;
    this.#caller.dropTurn(this.#nowMs);
    if (voicemail === null || voicemail.mode === "off") return this.#end("voicemail", null);
    if (voicemail.mode === "fixed") return;
    this.#agent.hold("beep");
    this.#agent.ask("voicemail", this.#memory.turnId, this.#nowMs);
  }

  #recording(): void {
    const { voicemail } = this.#settings;
    this.#agent.release("beep", this.#nowMs);
    if (voicemail?.mode !== "fixed" || this.#memory.replies > 0) return;
    this.#agent.say("voicemail", this.#memory.turnId, voicemail.text, this.#nowMs);
  }

  #left(): void {
    if (!this.#memory.isPresent) return;
    this.#outbox.record({ type: "caller-left" });
    this.#absentSinceMs = this.#nowMs;
    this.#caller.speechPaused(this.#nowMs, this.#nowMs);
    this.#agent.hold("absence");
  }

  #toolAnswered(callId: string, result: ToolResult): void {
    const wasTransferring = this.#agent.isTransferring;
    this.#agent.toolResult(callId, result, this.#nowMs);
    // Whoever waited for somebody else owed no word meanwhile.
    if (wasTransferring && !this.#agent.isTransferring) this.#silence.callerActed(this.#nowMs);
  }

  #transferred(isOver: boolean): void {
    if (!this.#agent.isTransferring) return;
    this.#agent.transferred();
    if (isOver) return this.#end("transferred", null);
    this.#outbox.record({ type: "transfer-connected" });
  }

  /** Whoever leaves somebody whom the agent found for them was served. */
  #callerGone(): void {
    this.#end(this.#memory.isTransferred ? "transferred" : "caller_left", null);
  }

  #resume(): void {
    const { memory } = this.#outbox;
    if (memory.isTransferred) return;
    if (!memory.isPresent) this.#agent.hold("absence");
    // Whoever has spoken since has been listened to by nobody.
    if (this.#settings.voicemail !== null && memory.answeredBy === null)
      this.#outbox.record({ type: "answerer-detected", answeredBy: "unknown" });
    this.#agent.resume(this.#nowMs);
    if (this.#isMachine) return this.#resumeMessage();
    if (this.#isOver || this.#agent.isBusy || memory.isAnswered) return;
    if (memory.turnId > 0) this.#agent.ask("turn", memory.turnId, this.#nowMs);
    else this.#greet(0);
  }

  /** The machine has beeped long ago, or records already. */
  #resumeMessage(): void {
    if (this.#isOver || this.#agent.isBusy) return;
    if (this.#memory.replies > 0) return this.#end("voicemail", null);
    this.#prepareMessage();
    if (!this.#isOver) this.#recording();
  }

  get #isMachine(): boolean {
    return this.#memory.answeredBy === "voicemail";
  }

  /** No turn of the caller is answered now. */
  get #isClosing(): boolean {
    return this.#ending !== null || this.#isDetecting;
  }

  /** Nobody speaks, and nothing is under way that a caller waits for. */
  get isIdle(): boolean {
    if (this.#isDetecting || this.#isMachine) return false;
    return !this.#agent.isBusy && !this.#agent.hasRequest && this.#caller.isQuiet;
  }

  /** Who waits for somebody else to pick up, or talks to them, is not asked to speak. */
  get #isQuiet(): boolean {
    const { isPresent, isTransferred } = this.#memory;
    return this.isIdle && isPresent && !isTransferred && !this.#agent.isTransferring && this.#ending === null;
  }

  /** Decides one thing that is due; false when there is none. */
  #step(): boolean {
    const nowMs = this.#nowMs;
    this.#endInTime();
    if (this.#isOver) return true;
    if (this.#memory.isTransferred) return false;
    if (this.#caller.step(nowMs, this.#isClosing) || this.#agent.tick(nowMs)) return true;
    return this.#isQuiet && this.#breakSilence();
  }

  #endInTime(): void {
    const nowMs = this.#nowMs;
    const { absenceMs, maxDurationMs } = this.#settings;
    const { isPresent } = this.#memory;
    if (!isPresent && nowMs >= this.#absentSinceMs + absenceMs) return this.#callerGone();
    if (nowMs >= (this.#joinedAtMs ?? nowMs) + maxDurationMs) this.#endPolitely("max_duration", null);
    if (this.#ending === null) return;
    const { reason, detail, byMs } = this.#ending;
    if (nowMs >= byMs || !isPresent || !this.#agent.isTalking) this.#end(reason, detail);
  }

  #breakSilence(): boolean {
    const nowMs = this.#nowMs;
    const silence = this.#silence;
    const { turnId } = this.#memory;
    if (nowMs >= silence.hangUpAtMs()) {
      if (this.#settings.saysFarewell) this.#agent.ask("farewell", turnId, nowMs);
      else this.#end("silence", null);
      return true;
    }
    if (this.#agent.hasUndelivered && nowMs >= silence.bothSinceMs + NATURAL_PAUSE_MS) {
      this.#agent.ask("deliver", turnId, nowMs);
      return true;
    }
    if (nowMs < silence.reengageAtMs()) return false;
    this.#agent.ask("reengage", turnId, nowMs);
    return true;
  }

  #replyOver({ purpose, isInterrupted, end }: ReplyOver): void {
    if (this.#isOver) return;
    this.#silence.agentSpoke(purpose === "reengage", this.#nowMs);
    if (end !== null) this.#end(end.reason, end.detail);
    else if (purpose === "voicemail") this.#end("voicemail", null);
    else if (purpose === "farewell" && !isInterrupted) this.#end("silence", null);
  }

  #endPolitely(reason: EndReason, detail: string | null): void {
    this.#ending ??= { reason, detail, byMs: this.#nowMs + MAX_POLITE_MS };
    if (!this.#memory.hasJoined) this.#end(reason, detail);
  }

  #end(reason: EndReason, detail: string | null): void {
    this.#isOver = true;
    this.#agent.end();
    this.#caller.end();
    this.#outbox.record({ type: "ended", reason, detail });
    this.#outbox.add({ type: "end", reason, detail });
  }

  /** Decides all that is due. */
  #advance(): void {
    while (!this.#isOver && this.#memory.hasJoined && this.#step());
    if (this.#isOver || !this.#memory.hasJoined || this.#state === this.#agent.state) return;
    this.#state = this.#agent.state;
    this.#outbox.add({ type: "set-state", state: this.#state });
  }
}

/** What means anything while nobody has joined. */
const beforeJoining: ReadonlySet<DialogueInput["type"]> = new Set(["caller-joined", "hang-up", "end"]);

/** And what does while the caller talks to somebody else. */
const afterTransfer: ReadonlySet<DialogueInput["type"]> = new Set([
  ...beforeJoining,
  ...(["caller-left", "tick"] as const),
]);

/** What a machine says is no part of the conversation. */
const fromCaller: ReadonlySet<DialogueInput["type"]> = new Set([
  ...(["speech-started", "speech-paused", "partial", "transcript", "transcribed"] as const),
  ...(["typed", "activity", "interrupt"] as const),
]);

type AgentInput = Extract<
  DialogueInput,
  {
    type:
      | "model-text"
      | "model-tool-call"
      | "model-finished"
      | "model-failed"
      | "heard"
      | "reply-audible"
      | "speech-failed"
      | "tool-result";
  }
>;
