/** A place in a `Heap`; keep it to take the value out again. */
export interface HeapEntry<T> {
  readonly value: T;
  /** Index in the heap's array; -1 once it has left. */
  position: number;
}

/** A binary heap whose entries can be removed from the middle. Push, pop and remove take O(log n). */
export class Heap<T> {
  readonly #entries: HeapEntry<T>[] = [];
  readonly #comesBefore: (a: T, b: T) => boolean;

  /** `comesBefore` must be a strict order that does not change while values are inside. */
  constructor(comesBefore: (a: T, b: T) => boolean) {
    this.#comesBefore = comesBefore;
  }

  get size(): number {
    return this.#entries.length;
  }

  /** The value that comes before all others, left in place. */
  peek(): T | undefined {
    return this.#entries[0]?.value;
  }

  push(value: T): HeapEntry<T> {
    const entry = { value, position: this.#entries.length };
    this.#entries.push(entry);
    this.#rise(entry);
    return entry;
  }

  /** Takes the first value out. */
  pop(): T | undefined {
    const first = this.#entries[0];
    if (first === undefined) return undefined;
    this.remove(first);
    return first.value;
  }

  /** Takes an entry out; false when it had left already. */
  remove(entry: HeapEntry<T>): boolean {
    const { position } = entry;
    if (position < 0) return false;
    const last = this.#entries.pop();
    entry.position = -1;
    if (last === undefined || last === entry) return true;
    last.position = position;
    this.#entries[position] = last;
    this.#rise(last);
    this.#sink(last);
    return true;
  }

  /** Up to `count` values from the front, in order, left in place. O(count log count), whatever the size. */
  smallest(count: number): T[] {
    const found: T[] = [];
    if (count <= 0 || this.#entries.length === 0) return found;
    const frontier = new Heap<HeapEntry<T>>((a, b) => this.#comesBefore(a.value, b.value));
    frontier.push(this.#entries[0] as HeapEntry<T>);
    while (found.length < count) {
      const next = frontier.pop();
      if (next === undefined) break;
      found.push(next.value);
      for (const child of [2 * next.position + 1, 2 * next.position + 2]) {
        const entry = this.#entries[child];
        if (entry !== undefined) frontier.push(entry);
      }
    }
    return found;
  }

  #rise(entry: HeapEntry<T>): void {
    let { position } = entry;
    while (position > 0) {
      const parent = this.#entries[(position - 1) >> 1] as HeapEntry<T>;
      if (!this.#comesBefore(entry.value, parent.value)) break;
      this.#entries[position] = parent;
      const above = parent.position;
      parent.position = position;
      position = above;
    }
    this.#entries[position] = entry;
    entry.position = position;
  }

  #sink(entry: HeapEntry<T>): void {
    let { position } = entry;
    for (;;) {
      const left = this.#entries[2 * position + 1];
      if (left === undefined) break;
      const right = this.#entries[2 * position + 2];
      const child = right !== undefined && this.#comesBefore(right.value, left.value) ? right : left;
      if (!this.#comesBefore(child.value, entry.value)) break;
      const below = child.position;
      this.#entries[position] = child;
      child.position = position;
      position = below;
    }
    this.#entries[position] = entry;
    entry.position = position;
  }
}
