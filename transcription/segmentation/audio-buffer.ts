/**
 * The latest stretch of an endless stream of samples, by position in the stream. What lies before `start` is forgotten.
 */
export class AudioBuffer {
  #samples = new Int16Array(16_000);
  /** Position of the first sample kept. */
  #start = 0;
  #length = 0;

  get start(): number {
    return this.#start;
  }

  /** Position after the last sample. */
  get end(): number {
    return this.#start + this.#length;
  }

  append(samples: Int16Array): void {
    const needed = this.#length + samples.length;
    if (needed > this.#samples.length) {
      const larger = new Int16Array(Math.max(needed, this.#samples.length * 2));
      larger.set(this.#samples.subarray(0, this.#length));
      this.#samples = larger;
    }
    this.#samples.set(samples, this.#length);
    this.#length = needed;
  }

  /** A copy of the samples of a stretch that is kept. */
  slice(from: number, to: number): Int16Array {
    return this.#samples.slice(from - this.#start, to - this.#start);
  }

  /** A view on a stretch that is kept; valid until the next call of any method. */
  view(from: number, to: number): Int16Array {
    return this.#samples.subarray(from - this.#start, to - this.#start);
  }

  /** Forgets what lies before `position`. */
  purge(position: number): void {
    const count = Math.min(this.#length, position - this.#start);
    // Moving what is left costs its length: only when that is less than what goes.
    if (count <= 0 || count < this.#length - count) return;
    this.#samples.copyWithin(0, count, this.#length);
    this.#start += count;
    this.#length -= count;
  }
}
