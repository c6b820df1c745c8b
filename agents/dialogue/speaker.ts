import type { Purpose } from "./instructions.js";
import { endsInQuestion } from "./language/words.js";
import type { LatencyMeter } from "./latency.js";
import type { OpenReply } from "./memory.js";
import type { Outbox } from "./outbox.js";
import { Reply } from "./reply.js";

/** Why the agent is silent: the caller speaks, is not there, or a machine has not beeped yet. */
export type HoldReason = "caller" | "absence" | "beep";

interface SpeakerOptions {
  outbox: Outbox;
  meter: LatencyMeter;
  /** BCP-47 primary subtag. */
  language: string;
  /** The reply is over, and its end is recorded. */
  onOver(reply: Reply, isInterrupted: boolean): void;
}

/** The agent's voice: says one reply at a time, and holds its tongue for as long as somebody wants it to. */
export class Speaker {
  readonly #options: SpeakerOptions;
  readonly #holds = new Set<HoldReason>();
  #reply: Reply | null = null;

  constructor(options: SpeakerOptions) {
    this.#options = options;
  }

  /** The reply that is not over. */
  get reply(): Reply | null {
    return this.#reply;
  }

  get isHeld(): boolean {
    return this.#holds.size > 0;
  }

  /** Whether the reply said anything to the caller, be it not audible yet. */
  get hasSpoken(): boolean {
    return this.#reply?.isGiven === true;
  }

  get isAudible(): boolean {
    return this.#reply?.isAudible === true;
  }

  /** Whether what the caller heard last is a question. */
  get hasJustAsked(): boolean {
    return this.#reply !== null && endsInQuestion(this.#reply.playedText);
  }

  /** Begins a reply, where none is open. */
  open(about: { purpose: Purpose; turnId: number; responder: string }): void {
    this.#reply ??= Reply.begin(this.#options.outbox, about);
  }

  /** Takes up the reply of a former runtime; what is left of it is spoken by `speakRest`. */
  resume(open: Readonly<OpenReply>, purpose: Purpose): void {
    this.#reply = Reply.resume(this.#options.outbox, open, purpose, this.#options.language);
  }

  speakRest(nowMs: number): void {
    this.#reply?.speakRest();
    this.show(nowMs);
  }

  /** Adds text to the open reply. `request` is what wrote it, `isBegun` when some text of it was said before. */
  say(
    text: string,
    nowMs: number,
    request: { askedMs: number; firstTextMs: number | null; isBegun: boolean } | null,
  ): void {
    const said = this.#reply?.add(text, request?.isBegun !== true) ?? "";
    if (said === "") return;
    const times = request === null ? null : { askedMs: request.askedMs, firstTextMs: request.firstTextMs ?? nowMs };
    this.#options.meter.spoken(said, nowMs, times);
    this.show(nowMs);
  }

  /** Publishes what may be read by now of a reply that is not spoken; all of it where `isPause`. */
  show(nowMs: number, isPause = false): void {
    if (this.#reply === null || this.isHeld) return;
    if (this.#reply.show(isPause)) this.#measure(this.#reply, nowMs);
    this.#closeIfOver();
  }

  /** No more text comes. */
  complete(nowMs: number): void {
    this.#reply?.complete();
    this.show(nowMs);
    this.#closeIfOver();
  }

  /** Falls silent until `release`. */
  hold(reason: HoldReason): void {
    this.#holds.add(reason);
    this.#reply?.pause();
  }

  /** True when nothing holds it any more. */
  release(reason: HoldReason): boolean {
    if (!this.#holds.delete(reason) || this.isHeld) return false;
    this.#reply?.resumeSpeaking();
    return true;
  }

  /** Ends the reply with what was played of it. */
  interrupt(): void {
    this.#close(true);
  }

  heard(input: { replyId: string; characters: number; isOver: boolean }): void {
    if (this.#reply?.replyId !== input.replyId) return;
    this.#reply.heard(input.characters, input.isOver);
    this.#closeIfOver();
  }

  audible(replyId: string, nowMs: number): void {
    const reply = this.#reply;
    if (reply?.replyId !== replyId || !reply.isGiven || reply.isTextOnly) return;
    reply.audible();
    this.#measure(reply, nowMs);
  }

  #measure(reply: Reply, nowMs: number): void {
    const { outbox, meter } = this.#options;
    const measured = meter.begun(reply, nowMs);
    if (measured === null) return;
    outbox.record({ type: "turn-latency", ...measured });
    outbox.add({ type: "report-latency", ...measured });
  }

  #closeIfOver(): void {
    if (this.#reply?.isOver === true) this.#close(false);
  }

  #close(isInterrupted: boolean): void {
    const reply = this.#reply;
    if (reply === null) return;
    this.#reply = null;
    reply.end(isInterrupted);
    this.#options.meter.answerOver();
    this.#options.onOver(reply, isInterrupted);
  }
}
