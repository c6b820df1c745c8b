/** What no path has: small enough that it never wins, large enough that sums of it stay finite. */
export const IMPOSSIBLE = -1e9;

/**
 * The hypotheses of one frame, a column for each property. Two with the same place in the lexicon, the same context of
 * the language model and the same last symbol are one. Columns grow and are used again: a frame makes no garbage.
 */
export class Hypotheses {
  count = 0;
  node: Int32Array = new Int32Array(0);
  context: Int32Array = new Int32Array(0);
  /** Last symbol that is not the blank, 0 before the first. */
  last: Uint16Array = new Uint16Array(0);
  /** Log score of the best path that ends in the blank, and of the best that ends in `last`. */
  blank: Float64Array = new Float64Array(0);
  label: Float64Array = new Float64Array(0);
  /** Frame at which the word under way began. */
  start: Int32Array = new Int32Array(0);
  /** The last finished word, -1 before the first. */
  history: Int32Array = new Int32Array(0);

  #slots = new Int32Array(0);
  /** The frame in which a slot was written: slots of other frames are empty. */
  #stamps = new Int32Array(0);
  #stamp = 0;

  constructor() {
    this.#grow(1024);
  }

  clear(): void {
    this.count = 0;
    this.#stamp++;
  }

  /**
   * Index of the hypothesis with this identity; a new one has no score, start and history yet, and its index is given
   * as `~index`.
   */
  place(node: number, context: number, last: number): number {
    const mask = this.#slots.length - 1;
    let slot = hash(node, context, last) & mask;
    while (this.#stamps[slot] === this.#stamp) {
      const at = this.#slots[slot] as number;
      if (this.node[at] === node && this.context[at] === context && this.last[at] === last) return at;
      slot = (slot + 1) & mask;
    }
    const at = this.append(node, context, last);
    // Growing lays the slots anew, the new hypothesis among them.
    if (this.#slots.length - 1 === mask) this.#take(slot, at);
    return ~at;
  }

  /** Adds a hypothesis that is known to be new, out of reach of `place`. */
  append(node: number, context: number, last: number): number {
    if (this.count === this.node.length) this.#grow(2 * this.count);
    const at = this.count++;
    this.node[at] = node;
    this.context[at] = context;
    this.last[at] = last;
    if (this.#slots.length < 2 * this.count) this.#rehash();
    return at;
  }

  /** Adds a copy of another's hypothesis; `this` serves no look-ups until it is cleared. */
  appendFrom(other: Hypotheses, index: number): void {
    if (this.count === this.node.length) this.#grow(2 * this.count);
    const at = this.count++;
    this.node[at] = other.node[index] as number;
    this.context[at] = other.context[index] as number;
    this.last[at] = other.last[index] as number;
    this.blank[at] = other.blank[index] as number;
    this.label[at] = other.label[index] as number;
    this.start[at] = other.start[index] as number;
    this.history[at] = other.history[index] as number;
  }

  #take(slot: number, at: number): void {
    this.#slots[slot] = at;
    this.#stamps[slot] = this.#stamp;
  }

  #rehash(): void {
    this.#slots = new Int32Array(4 * this.node.length);
    this.#stamps = new Int32Array(4 * this.node.length).fill(this.#stamp - 1);
    const mask = this.#slots.length - 1;
    for (let at = 0; at < this.count; at++) {
      let slot = hash(this.node[at] as number, this.context[at] as number, this.last[at] as number) & mask;
      while (this.#stamps[slot] === this.#stamp) slot = (slot + 1) & mask;
      this.#take(slot, at);
    }
  }

  #grow(capacity: number): void {
    const ints = (old: Int32Array): Int32Array => copyInto(new Int32Array(capacity), old);
    const floats = (old: Float64Array): Float64Array => copyInto(new Float64Array(capacity), old);
    [this.node, this.context, this.start, this.history] = [
      ints(this.node),
      ints(this.context),
      ints(this.start),
      ints(this.history),
    ];
    this.last = copyInto(new Uint16Array(capacity), this.last);
    [this.blank, this.label] = [floats(this.blank), floats(this.label)];
  }
}

function copyInto<Column extends Int32Array | Uint16Array | Float64Array>(column: Column, old: Column): Column {
  column.set(old);
  return column;
}

function hash(node: number, context: number, last: number): number {
  const mixed = Math.imul(node, 0x9e3779b1) ^ Math.imul(context, 0x85ebca6b) ^ Math.imul(last, 0xc2b2ae35);
  return mixed ^ (mixed >>> 15);
}
