/** The last samples of a track, so many at most and a portion more. */
export class RecentAudio {
  readonly #mostSamples: number;
  #portions: Int16Array[] = [];
  #length = 0;

  constructor(mostSamples: number) {
    this.#mostSamples = mostSamples;
  }

  /** Holds the array that it is given. */
  add(samples: Int16Array): void {
    this.#portions.push(samples);
    this.#length += samples.length;
    for (let first = this.#portions[0]; first !== undefined; first = this.#portions[0]) {
      if (this.#length - first.length < this.#mostSamples) return;
      this.#portions.shift();
      this.#length -= first.length;
    }
  }

  get portions(): readonly Int16Array[] {
    return this.#portions;
  }

  all(): Int16Array {
    const samples = new Int16Array(this.#length);
    let at = 0;
    for (const portion of this.#portions) {
      samples.set(portion, at);
      at += portion.length;
    }
    return samples;
  }
}
