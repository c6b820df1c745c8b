import { ServiceError } from "#protocol/errors";
import { limits } from "#protocol/limit-table";
import { MAX_WAITING_TEXT_BYTES } from "#protocol/speech/live";
import type { SpeechRequest } from "#protocol/speech/request";
import { stallMs } from "#speech/chunking/pace";
import { TextSlices } from "#speech/chunking/text-turns";
import type { SpeechRoute } from "#speech/metrics";
import type { SpeechOutput } from "#speech/output/output";
import { livePacing } from "#speech/stream/stream-settings";
import type { Caller } from "./caller.js";
import type { SpeechContext } from "./context.js";
import { askedStream, planSpeech, type RequestedSpeech } from "./plan.js";
import { SpokenRequest } from "./spoken-request.js";

/** A client that still writes when the server stops may pause for so long before it is taken to have finished. */
const DRAIN_PAUSE_MS = 2000;

/** After `trigger`, text waits no longer than this for the rest of its phrase. */
const TRIGGERED_WAIT_MS = 300;

/** Whose text is spoken, how, and to where; `request.text` is the first text. */
export interface PreparedInput {
  caller: Caller;
  request: SpeechRequest;
  output: SpeechOutput;
}

export interface TextInputOptions {
  context: SpeechContext;
  route: SpeechRoute;
  /** Runs once, when the input begins. */
  prepare(): Promise<PreparedInput>;
  /** Takes what went wrong in an action, or before the first; the owner cancels the input. */
  onError(error: unknown): void;
  /** UTF-8 bytes of all text that shares the bound; those of this input when absent. */
  waitingBytes?(): number;
}

type Action = { kind: "text"; text: string } | { kind: "trigger" | "flush" | "end" };

/**
 * Text that a client sends piece by piece over a WebSocket, on its way to one `SpokenRequest`. Actions are carried out
 * in the order in which they came, although the voice must be looked up first.
 *
 *     text, trigger, flush, end ──► inbox ──► begin: prepare, plan ──► slices ──► SpokenRequest
 *                                                 inbox is empty ──► timers: speak what is held back
 */
export class TextInput {
  readonly #options: TextInputOptions;
  readonly #inbox: { action: Action; bytes: number; arrivedAtMs: number }[] = [];
  readonly #turns = new TextSlices();
  readonly #arrivedAtMs: number;
  #state: "waiting" | "busy" | "idle" | "over" = "waiting";
  #inboxBytes = 0;
  #spoken: SpokenRequest | null = null;
  #requested: RequestedSpeech | null = null;
  #isAdmitted = false;
  #stallMs = 0;
  #lastTextAtMs: number;
  #hasText = false;
  #isFlushed = false;
  #isEnding = false;
  #cancelReleases: (() => void)[] = [];
  /** Set when the server stops: no text is taken after it. */
  #drainsUntilMs: number | null = null;
  #cancelDrain: () => void = () => undefined;

  constructor(options: TextInputOptions) {
    this.#options = options;
    this.#arrivedAtMs = options.context.clock.nowMs();
    this.#lastTextAtMs = this.#arrivedAtMs;
  }

  /** Whether `end` was called: whatever comes after it is ignored. */
  get isEnding(): boolean {
    return this.#isEnding;
  }

  /** Whether some text came, and a flush after the last of it. */
  get isFlushed(): boolean {
    return this.#isFlushed;
  }

  /** UTF-8 bytes of text that no scheduler has yet. */
  get waitingBytes(): number {
    return this.#inboxBytes + (this.#spoken?.waitingBytes ?? 0);
  }

  /** Carries out what has come and what will come. Harmless when called again. */
  begin(): void {
    if (this.#state === "waiting") void this.#work();
  }

  /** Takes text in. Throws `text_buffer_full` when too much of it waits. */
  text(text: string): void {
    this.#do({ kind: "text", text }, Buffer.byteLength(text));
  }

  /**
   * Speaks what has come at its next phrase end, at 50 characters, or 300 ms after the last text, whichever comes first
   *.
   */
  trigger(): void {
    this.#do({ kind: "trigger" });
  }

  /** Speaks what has come without waiting for more; the output's `flushed` follows the last of its audio. */
  flush(): void {
    this.#do({ kind: "flush" });
  }

  /** No more text: the output's `ended` follows the last audio. */
  end(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#enqueue({ kind: "end" }, 0);
  }

  /**
   * The server is stopping. Text is taken for as long as it keeps coming, and for half the time that the process has
   * left, so that the other half is there to speak it: then as `end`.
   */
  drain(): void {
    if (this.#isOver()) return;
    const { clock, config } = this.#options.context;
    const nowMs = clock.nowMs();
    this.#drainsUntilMs ??= nowMs + config.PARLEY_DRAIN_MS / 2;
    const endAtMs = Math.min(this.#drainsUntilMs, this.#lastTextAtMs + DRAIN_PAUSE_MS);
    this.#cancelDrain();
    if (nowMs >= endAtMs) this.end();
    else this.#cancelDrain = clock.after(endAtMs - nowMs, () => this.drain());
  }

  /** Ends all work, here and in every role. */
  cancel(outcome: "cancelled" | "failed" = "cancelled"): void {
    this.stop();
    this.#spoken?.cancel(outcome);
  }

  /** Carries out nothing more; for a request that has ended by itself. */
  stop(): void {
    this.#state = "over";
    this.#inbox.length = 0;
    this.#cancelDrain();
    this.#cancelTimers();
  }

  #do(action: Action, bytes = 0): void {
    if (this.#isEnding) return;
    const totalBytes = bytes + (this.#options.waitingBytes?.() ?? this.waitingBytes);
    if ((bytes > 0 && totalBytes > MAX_WAITING_TEXT_BYTES) || this.#inbox.length >= limits.liveEvents.most)
      throw new ServiceError("text_buffer_full", { parameters: { limitBytes: MAX_WAITING_TEXT_BYTES } });
    this.#enqueue(action, bytes);
  }

  #enqueue(action: Action, bytes: number): void {
    if (this.#isOver()) return;
    const arrivedAtMs = this.#options.context.clock.nowMs();
    if (action.kind === "text") this.#lastTextAtMs = arrivedAtMs;
    this.#inboxBytes += bytes;
    this.#inbox.push({ action, bytes, arrivedAtMs });
    if (this.#state === "idle") void this.#work();
  }

  async #work(): Promise<void> {
    this.#state = "busy";
    try {
      this.#cancelTimers();
      const spoken = this.#spoken ?? (await this.#open());
      for (let item = this.#inbox.shift(); item !== undefined && spoken !== null; item = this.#inbox.shift()) {
        await this.#carryOut(spoken, item.action, item.arrivedAtMs);
        this.#inboxBytes -= item.bytes;
      }
    } catch (error) {
      if (!this.#isOver()) this.#options.onError(error);
    }
    if (this.#isOver()) return;
    this.#state = "idle";
    this.#startTimers();
  }

  /** Null when the input is over before its voice is known. */
  async #open(): Promise<SpokenRequest | null> {
    const { context, route, prepare } = this.#options;
    const { caller, request, output } = await prepare();
    if (this.#isOver()) return null;
    const isAwaited = request.latency !== "normal";
    this.#requested = { request, caller, context, pacing: livePacing, isAwaited };
    const first = request.text === "" ? this.#firstWaitingText() : request.text;
    if (first !== undefined) await this.#admit(first);
    if (this.#isOver()) return null;
    const plan = await planSpeech(this.#requested);
    if (this.#isOver()) return null;
    this.#stallMs = stallMs[plan.pace.latency];
    this.#spoken = new SpokenRequest({ context, caller, plan, route, output });
    await this.#speak(this.#spoken, request.text, this.#arrivedAtMs);
    return this.#spoken;
  }

  #firstWaitingText(): string | undefined {
    for (const { action } of this.#inbox) if (action.kind === "text") return action.text;
    return undefined;
  }

  /** Asks once, with the first text: a stream that has none takes nobody's place. Throws `overloaded`. */
  async #admit(text: string): Promise<void> {
    if (this.#isAdmitted || this.#requested === null) return;
    this.#isAdmitted = true;
    await this.#options.context.admission.admit(askedStream(this.#requested, text));
  }

  async #carryOut(spoken: SpokenRequest, action: Action, arrivedAtMs: number): Promise<void> {
    if (action.kind === "text") return await this.#speak(spoken, action.text, arrivedAtMs);
    if (action.kind === "flush") this.#isFlushed = this.#hasText;
    spoken[action.kind](arrivedAtMs);
  }

  async #speak(spoken: SpokenRequest, text: string, arrivedAtMs: number): Promise<void> {
    if (text === "") return;
    await this.#admit(text);
    if (this.#isOver()) return;
    this.#hasText = true;
    this.#isFlushed = false;
    await this.#turns.spread(
      text,
      (slice) => spoken.text(slice, arrivedAtMs),
      () => this.#isOver(),
    );
  }

  /**
   * All that has come is carried out: sets the times at which text that is held back is spoken although no more comes.
   */
  #startTimers(): void {
    const spoken = this.#spoken;
    if (spoken === null || this.#isEnding) return;
    const { clock } = this.#options.context;
    const afterText = (waitMs: number, release: (nowMs: number) => void): void => {
      const delayMs = Math.max(0, this.#lastTextAtMs + waitMs - clock.nowMs());
      this.#cancelReleases.push(clock.after(delayMs, () => release(clock.nowMs())));
    };
    afterText(this.#stallMs, (nowMs) => spoken.releaseFinished(nowMs));
    if (spoken.isTriggered) afterText(TRIGGERED_WAIT_MS, (nowMs) => spoken.speakTriggered(nowMs));
  }

  #cancelTimers(): void {
    for (const cancel of this.#cancelReleases.splice(0)) cancel();
  }

  #isOver(): boolean {
    return this.#state === "over";
  }
}
