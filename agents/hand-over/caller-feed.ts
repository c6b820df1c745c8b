import type { Backlog, CallerEvent } from "#protocol/bus/conversation";
import { RECOGNITION_RATE } from "#protocol/transcription/chunk";
import { bytesToSamples } from "#audio/pcm";
import type { Clock } from "#common/clock";
import { BacklogWriter } from "./backlog-writer.js";
import { isSameEvent, joinEvents, type ReceivedEvent } from "./join-events.js";
import { RecentAudio } from "./recent-audio.js";

/** What the earlier runtime received comes here by then, or never. */
const ECHO_MS = 3000;
/** Nobody is sure sooner than this that somebody speaks. */
const UNNOTICED_MS = 300;

export interface CallerFeedOptions {
  clock: Clock;
  /** An earlier runtime holds what the caller did: nothing is passed on until `catchUp`. */
  isBehind: boolean;
  onEvent(event: CallerEvent): void;
  /** The caller's audio, at `RECOGNITION_RATE`. */
  onAudio(samples: Int16Array): void;
  /** An event could not be held for the next runtime. */
  onDropped(): void;
}

/**
 * What a caller does and says, on its way to the conversation: each event once and in order, whichever runtime of the
 * conversation received it.
 *
 *     behind ── catchUp ──► live ── handOver ──► handed over
 *     held until the        passed on            held for the
 *     backlog is there                           next runtime
 */
export class CallerFeed {
  readonly #options: CallerFeedOptions;
  readonly #recent = new RecentAudio((UNNOTICED_MS * RECOGNITION_RATE) / 1000);
  #held: { events: ReceivedEvent[]; audio: { samples: Int16Array; atMs: number }[] } | null;
  #backlog: BacklogWriter | null = null;
  /** Passed on already, and to come here too. */
  #echoes: { events: CallerEvent[]; untilMs: number } = { events: [], untilMs: 0 };

  constructor(options: CallerFeedOptions) {
    this.#options = options;
    this.#held = options.isBehind ? { events: [], audio: [] } : null;
  }

  /** What the caller does is passed on: there is nothing of an earlier runtime's left. */
  get isLive(): boolean {
    return this.#held === null && this.#backlog === null;
  }

  get isHandedOver(): boolean {
    return this.#backlog !== null;
  }

  /** Some audio has come. */
  get hasAudio(): boolean {
    return this.#recent.portions.length > 0;
  }

  event(event: CallerEvent): void {
    if (this.#isEcho(event)) return;
    if (this.#backlog !== null) {
      if (!this.#backlog.event(event)) this.#options.onDropped();
    } else if (this.#held !== null) this.#held.events.push({ event, atMs: this.#options.clock.nowMs() });
    else this.#options.onEvent(event);
  }

  audio(samples: Int16Array): void {
    this.#recent.add(samples);
    if (this.#backlog !== null) this.#backlog.audio(samples);
    else if (this.#held !== null) this.#held.audio.push({ samples, atMs: this.#options.clock.nowMs() });
    else this.#options.onAudio(samples);
  }

  /**
   * Passes on what the earlier runtime held, then what came here meanwhile, and from now on what comes. `backlog` is
   * null where that runtime has none; `readMs` is when it gave it.
   */
  catchUp(backlog: Backlog | null, readMs: number): void {
    const held = this.#held;
    if (held === null) return;
    this.#held = null;
    const { onEvent, onAudio } = this.#options;
    const earlier = (backlog?.events ?? []).map(({ event, ageMs }) => ({ event, atMs: readMs - ageMs }));
    const { events, echoes } = joinEvents(earlier, held.events, readMs);
    this.#echoes = { events: echoes, untilMs: readMs + ECHO_MS };
    for (const event of events) onEvent(event);
    // The earlier runtime has received the same until then.
    const fromMs = backlog === null ? Number.NEGATIVE_INFINITY : readMs;
    const own = held.audio.filter(({ atMs }) => atMs > fromMs).map(({ samples }) => samples);
    const all = new RecentAudio(Number.POSITIVE_INFINITY);
    if (backlog !== null) all.add(bytesToSamples(backlog.audio));
    for (const samples of own) all.add(samples);
    // In one portion: what comes at once is known to have been said before now.
    const samples = all.all();
    if (samples.length > 0) onAudio(samples);
  }

  /** Holds for the next runtime what the caller does from now on, after `events`. */
  handOver(events: readonly CallerEvent[]): void {
    this.#backlog = new BacklogWriter(this.#options.clock, this.#recent.portions);
    for (const event of events) this.event(event);
  }

  #isEcho(event: CallerEvent): boolean {
    const { events, untilMs } = this.#echoes;
    const [next] = events;
    if (next === undefined || this.#options.clock.nowMs() > untilMs || !isSameEvent(next, event)) return false;
    events.shift();
    return true;
  }

  /** What was held for the next runtime; null before `handOver`. Nothing is held after this. */
  readBacklog(): Backlog | null {
    return this.#backlog?.read() ?? null;
  }
}
