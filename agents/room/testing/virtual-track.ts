import type { VirtualClock } from "#common/clock";
import type { VoiceTrack } from "../room.js";

/** A track in virtual time: plays what it is given at the clock's pace, and keeps what was heard. */
export class VirtualTrack implements VoiceTrack {
  readonly sampleRate: number;
  /** What has left the queue, in order. */
  readonly heard: number[] = [];
  readonly #clock: VirtualClock;
  readonly #capacity: number;
  #queue: number[] = [];
  #playedToMs: number;
  #waiting: { level: number; resolve: () => void }[] = [];

  constructor(clock: VirtualClock, options: { sampleRate: number; queueMs: number }) {
    this.#clock = clock;
    this.sampleRate = options.sampleRate;
    this.#capacity = (options.queueMs * options.sampleRate) / 1000;
    this.#playedToMs = clock.nowMs();
    this.#step();
  }

  write(samples: Int16Array): Promise<void> {
    this.#play();
    this.#queue.push(...samples);
    return this.#until(this.#capacity);
  }

  queuedMs(): number {
    this.#play();
    return (this.#queue.length / this.sampleRate) * 1000;
  }

  clear(): void {
    this.#play();
    this.#queue = [];
    this.#wake();
  }

  #until(level: number): Promise<void> {
    if (this.#queue.length <= level) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ level, resolve }));
  }

  #play(): void {
    const nowMs = this.#clock.nowMs();
    const due = Math.floor(((nowMs - this.#playedToMs) * this.sampleRate) / 1000);
    this.#playedToMs += (due / this.sampleRate) * 1000;
    this.heard.push(...this.#queue.splice(0, due));
  }

  #wake(): void {
    const ready = this.#waiting.filter(({ level }) => this.#queue.length <= level);
    this.#waiting = this.#waiting.filter(({ level }) => this.#queue.length > level);
    for (const { resolve } of ready) resolve();
  }

  #step(): void {
    this.#clock.after(5, () => {
      this.#play();
      this.#wake();
      this.#step();
    });
  }
}
