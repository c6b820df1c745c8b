/**
 * What is known of a value that is written while its keeper is killed: the last that was acknowledged, and those that
 * may stand since.
 */
export class Known<T> {
  #settled: T;
  #maybe: T[] = [];

  constructor(settled: T) {
    this.#settled = settled;
  }

  /** Takes down a write; `acknowledged` is false when no answer came. */
  wrote(value: T, acknowledged: boolean): void {
    if (acknowledged) [this.#settled, this.#maybe] = [value, []];
    else this.#maybe.push(value);
  }

  admits(value: T): boolean {
    return value === this.#settled || this.#maybe.includes(value);
  }

  /** Every value that it may have. */
  get all(): T[] {
    return [this.#settled, ...this.#maybe];
  }
}

/** One record that was created, or may have been. Its name is its own. */
export interface KnownRecord {
  name: string;
  /** Null when the creation was never acknowledged. */
  id: string | null;
  /** What all its texts say: they are written together. */
  text: Known<string>;
  isThere: Known<boolean>;
}

/** A generator of the same numbers for the same seed, in [0, 1): mulberry32, public domain. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
