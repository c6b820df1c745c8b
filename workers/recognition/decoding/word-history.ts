/** Finished words of all hypotheses, each with the one before it: sentences that begin alike share their beginnings. */
export class WordHistory {
  count = 0;
  before: Int32Array = new Int32Array(0);
  word: Int32Array = new Int32Array(0);
  start: Int32Array = new Int32Array(0);
  end: Int32Array = new Int32Array(0);
  /**
   * Log score of the audio alone up to and with the word's last frame, and all that the language model and the bonus
   * have added.
   */
  acoustic: Float64Array = new Float64Array(0);
  added: Float64Array = new Float64Array(0);

  constructor() {
    this.#grow(1024);
  }

  clear(): void {
    this.count = 0;
  }

  /** Makes room for one more; gives its index, whose columns the caller fills. */
  append(): number {
    if (this.count === this.word.length) this.#grow(2 * this.count);
    return this.count++;
  }

  #grow(capacity: number): void {
    const ints = (old: Int32Array): Int32Array => {
      const column = new Int32Array(capacity);
      column.set(old);
      return column;
    };
    const floats = (old: Float64Array): Float64Array => {
      const column = new Float64Array(capacity);
      column.set(old);
      return column;
    };
    [this.before, this.word, this.start, this.end] = [
      ints(this.before),
      ints(this.word),
      ints(this.start),
      ints(this.end),
    ];
    [this.acoustic, this.added] = [floats(this.acoustic), floats(this.added)];
  }
}
