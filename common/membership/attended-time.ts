import type { Clock } from "../clock.js";

/**
 * Time in which this process could have taken in what came: a process that stands still (SIGSTOP, a frozen container, a
 * full event loop) reads nothing meanwhile, and must not hold that silence against those who wrote. Whoever reads it
 * does so by `tick`, at intervals; where two ticks are further apart than `longestGapMs`, only that much has passed.
 */
export class AttendedTime {
  readonly #clock: Clock;
  readonly #longestGapMs: number;
  #countedMs = 0;
  #countedAtMs: number;

  constructor(clock: Clock, longestGapMs: number) {
    this.#clock = clock;
    this.#longestGapMs = longestGapMs;
    this.#countedAtMs = clock.nowMs();
  }

  /** Milliseconds attended so far; only differences mean anything. Never goes back. */
  nowMs(): number {
    return this.#countedMs + Math.min(this.#longestGapMs, this.#clock.nowMs() - this.#countedAtMs);
  }

  /** Begins the next interval. Gives the time attended until now. */
  tick(): number {
    this.#countedMs = this.nowMs();
    this.#countedAtMs = this.#clock.nowMs();
    return this.#countedMs;
  }
}
