/** Counts work that has begun and not ended, so that a drain can wait for it. */
export class InFlight {
  #count = 0;
  #waiting: (() => void)[] = [];

  /** Runs `work` as one piece of work in flight. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    this.#count++;
    try {
      return await work();
    } finally {
      this.#count--;
      if (this.#count === 0) for (const resolve of this.#waiting.splice(0)) resolve();
    }
  }

  /** Resolves when nothing is in flight. */
  idle(): Promise<void> {
    return this.#count === 0 ? Promise.resolve() : new Promise((resolve) => this.#waiting.push(resolve));
  }
}
