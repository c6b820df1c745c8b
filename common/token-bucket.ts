/** How often something may happen: `burst` times at once, `perSecond` times a second in the long run. */
export interface Rate {
  burst: number;
  perSecond: number;
}

/** Counts events against a rate. Time is passed in, milliseconds of a clock that never goes back. */
export class TokenBucket {
  readonly #rate: Rate;
  #tokens: number;
  #atMs: number;

  constructor(rate: Rate, nowMs: number) {
    this.#rate = rate;
    this.#tokens = rate.burst;
    this.#atMs = nowMs;
  }

  /** Counts one event; false when it comes too soon, and is not counted. */
  take(nowMs: number): boolean {
    this.#refill(nowMs);
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }

  /** Takes back the count of one event. */
  giveBack(): void {
    this.#tokens = Math.min(this.#rate.burst, this.#tokens + 1);
  }

  #refill(nowMs: number): void {
    this.#tokens = Math.min(this.#rate.burst, this.#tokens + ((nowMs - this.#atMs) / 1000) * this.#rate.perSecond);
    this.#atMs = nowMs;
  }
}
