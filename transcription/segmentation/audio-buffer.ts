const SMALLEST_BLOCK_SAMPLES = 16_000;

/**
 * The latest stretch of an endless stream of samples, by position in the stream. What lies before `start` is forgotten.
 * Samples never move or change once they are in: a view on them stays right, and nothing is copied for who sends it on.
 */
export class AudioBuffer {
  #block: Int16Array = new Int16Array(0);
  /** Where the first sample kept lies in the block, and where the next one goes. */
  #first = 0;
  #next = 0;
  /** Position of the first sample kept. */
  #start = 0;

  get start(): number {
    return this.#start;
  }

  /** Position after the last sample. */
  get end(): number {
    return this.#start + this.#next - this.#first;
  }

  /** Takes the next samples, which the caller must not change any more. */
  append(samples: Int16Array): void {
    const kept = this.#block.subarray(this.#first, this.#next);
    if (this.#next + samples.length > this.#block.length) {
      const isBlock = kept.length === 0 && samples.length >= SMALLEST_BLOCK_SAMPLES;
      this.#block = isBlock
        ? samples
        : new Int16Array(Math.max(SMALLEST_BLOCK_SAMPLES, 2 * (kept.length + samples.length)));
      if (!isBlock) this.#block.set(kept);
      this.#first = 0;
      this.#next = kept.length;
    }
    if (this.#block !== samples) this.#block.set(samples, this.#next);
    this.#next += samples.length;
  }

  /** The samples of a stretch that is kept; not to be changed. */
  view(from: number, to: number): Int16Array {
    const offset = this.#first - this.#start;
    return this.#block.subarray(from + offset, to + offset);
  }

  /** Forgets what lies before `position`. */
  purge(position: number): void {
    const count = Math.min(this.end - this.#start, position - this.#start);
    if (count <= 0) return;
    this.#first += count;
    this.#start += count;
  }
}
