/** Lets a number of users in at once; the others wait in the order in which they came. */
export class Semaphore {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(places: number) {
    this.#free = places;
  }

  /** Users that wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Resolves with a function that gives the place back, once. Rejects with the signal's reason when it aborts first.
   */
  take(signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const leave = (): void => {
        this.#waiting.delete(enter);
        reject(signal.reason);
      };
      const enter = (): void => {
        signal.removeEventListener("abort", leave);
        this.#free--;
        resolve(this.#giveBack());
      };
      if (this.#free > 0) return enter();
      this.#waiting.add(enter);
      signal.addEventListener("abort", leave, { once: true });
    });
  }

  #giveBack(): () => void {
    let isGiven = false;
    return () => {
      if (isGiven) return;
      isGiven = true;
      this.#free++;
      const [next] = this.#waiting;
      if (next === undefined) return;
      this.#waiting.delete(next);
      next();
    };
  }
}
