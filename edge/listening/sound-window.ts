/** The part of a sound that is still needed: samples come in at the end and are dropped from the beginning. Places count from the sound's first sample. */
export class SoundWindow {
  #samples = new Int16Array(0);
  #start = 0;
  #end = 0;

  /** Place after the last sample that has come. */
  get end(): number {
    return this.#end;
  }

  append(samples: Int16Array): void {
    const held = this.#end - this.#start;
    if (this.#samples.length < held + samples.length) {
      const larger = new Int16Array(Math.max(held + samples.length, 2 * held));
      larger.set(this.#samples.subarray(0, held));
      this.#samples = larger;
    }
    this.#samples.set(samples, held);
    this.#end += samples.length;
  }

  /** A copy of the samples from one place to another, which must lie within what is held. */
  slice(from: number, to: number): Int16Array {
    if (from < this.#start || to > this.#end) throw new RangeError(`samples ${from} to ${to} of ${this.#start} to ${this.#end}`);
    return this.#samples.slice(from - this.#start, to - this.#start);
  }

  /** Forgets what lies before a place. */
  dropBefore(place: number): void {
    const from = Math.min(Math.max(place, this.#start), this.#end);
    this.#samples.copyWithin(0, from - this.#start, this.#end - this.#start);
    this.#start = from;
  }
}
