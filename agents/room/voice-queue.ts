import type { Clock } from "#common/clock";
import type { VoiceTrack } from "./room.js";

/** What plays frames in real time, one `TICK_MS` after the other, and silence when it has none. */
export interface VoiceSource {
  readonly sampleRate: number;
  /** Takes whole ticks; resolves once no more than `SOURCE_QUEUE_MS` wait in it. */
  capture(frame: Int16Array): Promise<void>;
  /** Throws away what waits in it. */
  clear(): void;
}

/** What the source plays at once: it leaves less than this in its queue and plays silence instead. */
const TICK_MS = 10;

/** What is given to the source at a time, or less: each frame costs two ways into the library and back. */
const FRAME_MS = 40;

/**
 * What waits in the source before more is taken. Long enough for a process that is busy for a moment, short enough that
 * what was said already is not much ahead of what is heard.
 */
export const SOURCE_QUEUE_MS = 100;

/** A capture that took longer than this waited for the source to play: its queue was at `SOURCE_QUEUE_MS` then. */
const WAITED_MS = 4;

/**
 * Cuts what is written into frames for the source, and knows how much has not been played. The source does not say how
 * full it is: this counts down with the clock from what it was given, and is put right whenever the source takes a
 * frame late, which is every `FRAME_MS` while somebody speaks. Right within one tick.
 *
 *   write ──► pending (here) ──frames──► source's queue, ≤ 140 ms ──ticks──► encoder
 *             └────────────────── queuedMs ─────────────────────┘
 */
export class VoiceQueue implements VoiceTrack {
  readonly sampleRate: number;
  readonly #source: VoiceSource;
  readonly #clock: Clock;
  readonly #tickSamples: number;
  readonly #level: SourceLevel;
  #pending: Int16Array[] = [];
  #pendingSamples = 0;
  /** Samples ever written and ever taken off `pending`, cleared ones included. */
  #written = 0;
  #taken = 0;
  #waiting: { untilTaken: number; resolve: () => void }[] = [];
  #isPumping = false;
  /** Counts the clears, so that a frame that was on its way during one is known. */
  #clears = 0;
  #cancelPadding: () => void = () => undefined;

  constructor(source: VoiceSource, clock: Clock) {
    if (!Number.isInteger((source.sampleRate * TICK_MS) / 1000))
      throw new RangeError(`a sample rate must be a multiple of 100, not ${source.sampleRate}`);
    this.#source = source;
    this.#clock = clock;
    this.sampleRate = source.sampleRate;
    this.#tickSamples = (source.sampleRate * TICK_MS) / 1000;
    this.#level = new SourceLevel(this.#tickSamples, clock);
  }

  write(samples: Int16Array): Promise<void> {
    if (samples.length === 0) return Promise.resolve();
    this.#cancelPadding();
    this.#pending.push(samples.slice());
    this.#pendingSamples += samples.length;
    this.#written += samples.length;
    // Less than a tick waits for what comes next, and nobody waits for it.
    const untilTaken = this.#written - this.#tickSamples + 1;
    return new Promise((resolve) => {
      this.#waiting.push({ untilTaken, resolve });
      this.#pump();
    });
  }

  queuedMs(): number {
    return ((this.#pendingSamples + this.#level.samples()) * 1000) / this.sampleRate;
  }

  clear(): void {
    this.#clears++;
    this.#cancelPadding();
    this.#pending = [];
    this.#pendingSamples = 0;
    this.#taken = this.#written;
    this.#source.clear();
    this.#level.empty();
    this.#release();
  }

  #pump(): void {
    this.#release();
    if (this.#isPumping) return;
    if (this.#pendingSamples < this.#tickSamples) {
      if (this.#pendingSamples > 0) this.#padLater();
      return;
    }
    this.#isPumping = true;
    const most = Math.min(this.#pendingSamples, (this.sampleRate * FRAME_MS) / 1000);
    void this.#capture(this.#take(most - (most % this.#tickSamples))).then(() => {
      this.#isPumping = false;
      this.#pump();
    });
  }

  async #capture(frame: Int16Array): Promise<void> {
    const clears = this.#clears;
    const givenAtMs = this.#clock.nowMs();
    this.#level.add(frame.length);
    try {
      await this.#source.capture(frame);
    } catch {
      // The source is gone with its room, which says so by itself; whoever writes is held to real time until then.
      await new Promise<void>((resolve) => this.#clock.after((frame.length * 1000) / this.sampleRate, resolve));
      return;
    }
    if (clears !== this.#clears) {
      // It was on its way to the source when that was cleared.
      this.#source.clear();
      this.#level.empty();
      return;
    }
    // A busy process learns late that the source had room again, when less than that is left in it.
    const hasWaited = this.#clock.nowMs() - givenAtMs >= WAITED_MS;
    const most = (this.sampleRate * SOURCE_QUEUE_MS) / 1000;
    this.#level.clamp(hasWaited ? most - (this.sampleRate * FRAME_MS) / 1000 : 0, most);
  }

  #take(count: number): Int16Array {
    const frame = new Int16Array(count);
    let filled = 0;
    while (filled < count) {
      const first = this.#pending[0] ?? new Int16Array(count - filled);
      const part = first.subarray(0, count - filled);
      frame.set(part, filled);
      filled += part.length;
      if (part.length === first.length) this.#pending.shift();
      else this.#pending[0] = first.subarray(part.length);
    }
    this.#pendingSamples -= count;
    this.#taken += count;
    return frame;
  }

  /** The end of an utterance is less than a tick: it is filled up when nothing comes before the source runs dry. */
  #padLater(): void {
    const inMs = Math.max(TICK_MS, (this.#level.samples() * 1000) / this.sampleRate - TICK_MS);
    this.#cancelPadding = this.#clock.after(inMs, () => {
      const missing = this.#tickSamples - this.#pendingSamples;
      if (this.#pendingSamples > 0 && missing > 0) void this.write(new Int16Array(missing));
    });
  }

  #release(): void {
    const ready = this.#waiting.filter(({ untilTaken }) => untilTaken <= this.#taken);
    if (ready.length === 0) return;
    this.#waiting = this.#waiting.filter(({ untilTaken }) => untilTaken > this.#taken);
    for (const { resolve } of ready) resolve();
  }
}

/** How many samples wait in the source, by the clock. */
class SourceLevel {
  readonly #tickSamples: number;
  readonly #clock: Clock;
  #samples = 0;
  #atMs = 0;

  constructor(tickSamples: number, clock: Clock) {
    this.#tickSamples = tickSamples;
    this.#clock = clock;
  }

  samples(): number {
    const ticks = Math.floor((this.#clock.nowMs() - this.#atMs) / TICK_MS);
    return Math.max(0, this.#samples - ticks * this.#tickSamples);
  }

  add(count: number): void {
    const left = this.samples();
    // The source's ticks go on as they were while it has something to play.
    const sinceTickMs = left === 0 ? 0 : (this.#clock.nowMs() - this.#atMs) % TICK_MS;
    this.#samples = left + count;
    this.#atMs = this.#clock.nowMs() - sinceTickMs;
  }

  clamp(least: number, most: number): void {
    const now = this.samples();
    if (now < least) this.#setTo(least);
    else if (now > most) this.#setTo(most);
  }

  empty(): void {
    this.#setTo(0);
  }

  #setTo(count: number): void {
    this.#samples = count;
    this.#atMs = this.#clock.nowMs();
  }
}
