import type { AgentSide } from "./agent-side.js";
import { interjectionOf } from "./backchannel.js";
import { CallerTurn } from "./caller-turn.js";
import { floorDueAtMs, floorWaitMs, judgeFloor } from "./interjection.js";
import type { LatencyMeter } from "./latency.js";
import type { Outbox } from "./outbox.js";
import type { DialogueSettings } from "./settings.js";
import type { Silence } from "./silence.js";

interface CallerSideOptions {
  settings: DialogueSettings;
  outbox: Outbox;
  meter: LatencyMeter;
  silence: Silence;
  agent: AgentSide;
  /** Begins the ids of transcripts; another one for each runtime that holds the conversation. */
  segmentPrefix: string;
}

/**
 * What the caller says: when a turn of theirs is over, when the model is asked early, and whether they take the floor
 * while the agent has it.
 */
export class CallerSide {
  readonly #options: CallerSideOptions;
  readonly #turn: CallerTurn;
  #segments = 0;
  /** Text of the current segment has been published. */
  #isPublished = false;
  /** Since when the caller speaks into a reply; `isHolding` while the reply is paused for it. */
  #interjection: { startedMs: number; isHolding: boolean } | null = null;

  constructor(options: CallerSideOptions) {
    this.#options = options;
    this.#turn = new CallerTurn(options.settings);
  }

  /** Nothing is being said, nor waits to be understood or answered. */
  get isQuiet(): boolean {
    return this.#turn.isEmpty;
  }

  speechStarted(nowMs: number): void {
    this.#turn.speechStarted(nowMs);
    if (this.#interjection?.isHolding === false) this.#interjection = null;
    this.#interject(nowMs);
  }

  speechPaused(lastVoicedMs: number, nowMs: number): void {
    this.#turn.speechPaused(lastVoicedMs, nowMs);
  }

  partial(text: string, isUnsure: boolean, nowMs: number): void {
    if (this.#turn.partial(text, isUnsure, nowMs)) this.#wordsCame(nowMs);
  }

  transcript(text: string, isUnsure: boolean, nowMs: number): void {
    if (this.#turn.transcript(text, isUnsure, nowMs)) this.#wordsCame(nowMs);
  }

  transcribed(nowMs: number): void {
    this.#turn.transcribed(nowMs);
  }

  /** A whole message was typed; it does not wait for an agent that speaks. */
  typed({ text, isTextOnly = false }: { text: string; isTextOnly?: boolean }, nowMs: number): void {
    if (text.trim() === "") return;
    const { agent } = this.#options;
    this.#turn.typed(text, isTextOnly, nowMs);
    agent.dropOtherThan(this.#turn.text);
    if (agent.isBusy && agent.isInterruptible) agent.stop();
  }

  /** The caller asks the agent to be silent. */
  interrupt(): void {
    const { agent } = this.#options;
    if (agent.isBusy && agent.isInterruptible) agent.leaveUnanswered();
  }

  /** No more words come: what was published of the turn is final. */
  end(): void {
    this.#publishFinal();
  }

  /**
   * Takes what was said as a whole turn that somebody else answers; gives its number, or that of the last turn where
   * nothing was understood.
   */
  takeTurn(nowMs: number): number {
    if (this.#turn.text === "") return this.#options.outbox.memory.turnId;
    return this.#closeTurn(nowMs);
  }

  /** Forgets what was said: nobody answers it. */
  dropTurn(nowMs: number): void {
    this.#publishFinal();
    this.#turn.reset(nowMs);
  }

  /** When `step` is due; infinity when nothing waits for time. */
  nextWakeMs(nowMs: number, isClosing: boolean): number {
    const { agent, settings } = this.#options;
    const wakes: number[] = [];
    const overAtMs = this.#turn.overAtMs();
    const interjection = this.#interjection;
    const isBlocked = interjection === null && (agent.isBusy || isClosing);
    if (overAtMs !== null && !isBlocked) wakes.push(overAtMs);
    if (interjection !== null) {
      if (interjection.isHolding) wakes.push(interjection.startedMs + this.#floorWaitMs());
      const dueAtMs = this.#turn.isSpeaking ? floorDueAtMs(interjection.startedMs, settings) : null;
      if (dueAtMs !== null && dueAtMs > nowMs) wakes.push(dueAtMs);
    }
    return Math.min(...wakes, Number.POSITIVE_INFINITY);
  }

  /** Decides one thing that is due; false when there is none. `isClosing`: no further turn will be answered. */
  step(nowMs: number, isClosing: boolean): boolean {
    return this.#judge(nowMs) || this.#endTurn(nowMs, isClosing) || this.#speculate(nowMs, isClosing);
  }

  #wordsCame(nowMs: number): void {
    const { agent, outbox } = this.#options;
    const { text, spokenText } = this.#turn;
    agent.dropOtherThan(text);
    this.#isPublished = true;
    const segmentId = this.#segmentId();
    outbox.add({ type: "publish-transcript", segmentId, speaker: "caller", text: spokenText, isFinal: false });
    this.#interject(nowMs);
  }

  /** The agent falls silent to find out what the caller wants. */
  #interject(nowMs: number): void {
    const { agent } = this.#options;
    if (this.#interjection !== null || !agent.isBusy || !agent.isInterruptible) return;
    this.#interjection = { startedMs: nowMs, isHolding: true };
    agent.hold("caller");
  }

  #judge(nowMs: number): boolean {
    const interjection = this.#interjection;
    if (interjection === null) return false;
    const { agent, settings } = this.#options;
    const turn = this.#turn;
    if (!agent.isBusy || !agent.isInterruptible || turn.isEmpty) return this.#endInterjection(nowMs);
    const spokenUntilMs = turn.isSpeaking ? nowMs : Math.max(interjection.startedMs, turn.lastVoicedMs ?? 0);
    const overAtMs = turn.overAtMs();
    const evidence = {
      text: turn.text,
      isUnsure: turn.isUnsure,
      isPartial: turn.isPartial,
      spokenMs: spokenUntilMs - interjection.startedMs,
      isTranscribed: turn.isTranscribed || (overAtMs !== null && nowMs >= overAtMs),
      followsQuestion: agent.hasJustAsked,
      isBeforeReply: !agent.isAudible,
    };
    const verdict = judgeFloor(evidence, settings);
    if (verdict === "interrupt") agent.stop();
    if (verdict === "ignore") this.#discard(nowMs);
    if (verdict !== "wait") return this.#endInterjection(nowMs);
    if (!interjection.isHolding || nowMs < interjection.startedMs + this.#floorWaitMs()) return false;
    this.#interjection = { ...interjection, isHolding: false };
    agent.release("caller", nowMs);
    return true;
  }

  #floorWaitMs(): number {
    const { agent, settings } = this.#options;
    return floorWaitMs({ text: this.#turn.text, followsQuestion: agent.hasJustAsked }, settings);
  }

  #endInterjection(nowMs: number): true {
    this.#interjection = null;
    this.#options.agent.release("caller", nowMs);
    return true;
  }

  #endTurn(nowMs: number, isClosing: boolean): boolean {
    const { agent } = this.#options;
    const overAtMs = this.#turn.overAtMs();
    if (overAtMs === null || nowMs < overAtMs || this.#interjection !== null) return false;
    const { text, isTyped } = this.#turn;
    if (text === "") return this.#discard(nowMs);
    if (agent.isBusy && !isTyped && this.#isBackchannel()) return this.#discard(nowMs);
    if (agent.isBusy || isClosing) return false;
    agent.answer(this.#closeTurn(nowMs), text, nowMs);
    return true;
  }

  /** Writes down what was said as the next turn; gives its number. */
  #closeTurn(nowMs: number): number {
    const { outbox, meter, silence } = this.#options;
    const turn = this.#turn;
    const { text, transcribedMs, isTyped, isTextOnly } = turn;
    const turnId = outbox.memory.turnId + 1;
    outbox.record({ type: "caller-said", turnId, text, ...(isTextOnly ? { isTextOnly } : {}) });
    // What was typed stands in the caller's program already.
    this.#isPublished ||= turn.spokenText !== "";
    this.#publishFinal();
    const lastVoicedMs = turn.lastVoicedMs ?? nowMs;
    meter.turnOver({ turnId, lastVoicedMs, decidedMs: nowMs, transcribedMs, isTyped });
    silence.callerActed(nowMs);
    turn.reset(nowMs);
    return turnId;
  }

  /** What was said into a reply means "go on", or may be a hum. */
  #isBackchannel(): boolean {
    const { agent, settings } = this.#options;
    const { text, isUnsure } = this.#turn;
    const { realWords, isStop } = interjectionOf(text, settings.language, agent.hasJustAsked);
    return realWords === 0 || (isUnsure && !isStop && !agent.hasJustAsked);
  }

  /** What was said is no turn. */
  #discard(nowMs: number): true {
    const { agent, outbox, silence } = this.#options;
    this.#publishFinal();
    this.#turn.reset(nowMs);
    silence.noise(nowMs);
    // An answer was dropped for words that turned out to be none.
    const { isAnswered, turnId } = outbox.memory;
    if (!agent.isBusy && !isAnswered && turnId > 0) agent.ask("turn", turnId, nowMs);
    return true;
  }

  #speculate(nowMs: number, isClosing: boolean): boolean {
    const { agent } = this.#options;
    const { isTranscribed, text } = this.#turn;
    if (!isTranscribed || text === "" || isClosing || agent.isBusy || agent.hasRequest) return false;
    agent.speculate(text, nowMs);
    return true;
  }

  #publishFinal(): void {
    if (!this.#isPublished) return;
    this.#isPublished = false;
    const segmentId = this.#segmentId();
    const { spokenText: text } = this.#turn;
    this.#options.outbox.add({ type: "publish-transcript", segmentId, speaker: "caller", text, isFinal: true });
    this.#segments++;
  }

  #segmentId(): string {
    return `caller-${this.#options.segmentPrefix}${this.#segments + 1}`;
  }
}
