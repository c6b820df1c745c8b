/**
 * The part of a recording that is still needed: pieces come in at the end and are dropped from the beginning. Places count
 * from the audio's first sample. Pieces are kept as they come and must not change any more.
 */
export class AudioWindow {
  /** Oldest first, each with the place of its first sample. */
  readonly #pieces: { start: number; samples: Int16Array }[] = [];
  #start = 0;
  #end = 0;

  /** Place after the last sample that has come. */
  get end(): number {
    return this.#end;
  }

  append(samples: Int16Array): void {
    this.#pieces.push({ start: this.#end, samples });
    this.#end += samples.length;
  }

  /**
   * The samples from one place to another, which must lie within what is held; not to be changed, since they may be a
   * view on a piece.
   */
  slice(from: number, to: number): Int16Array {
    if (from < this.#start || to > this.#end)
      throw new RangeError(`samples ${from} to ${to} of ${this.#start} to ${this.#end}`);
    const within = this.#pieces.find(({ start, samples }) => from >= start && to <= start + samples.length);
    if (within !== undefined) return within.samples.subarray(from - within.start, to - within.start);
    const joined = new Int16Array(to - from);
    for (const { start, samples } of this.#pieces) {
      const [first, last] = [Math.max(from, start), Math.min(to, start + samples.length)];
      if (first < last) joined.set(samples.subarray(first - start, last - start), first - from);
    }
    return joined;
  }

  /** Forgets what lies before a place. */
  dropBefore(place: number): void {
    this.#start = Math.min(Math.max(place, this.#start), this.#end);
    const kept = this.#pieces.findIndex(({ start, samples }) => start + samples.length > this.#start);
    this.#pieces.splice(0, kept < 0 ? this.#pieces.length : kept);
  }
}
