const FIRST_BLOCK_BYTES = 4 * 1024;
const MAX_BLOCK_BYTES = 256 * 1024;

/** Text that grows, as UTF-8 in few blocks of memory: pieces of a few hundred bytes would each cost as much again. */
export class TextBlocks {
  #blocks: Buffer[] = [];
  /** How much of the last block is text. */
  #used = 0;
  #heldBytes = 0;

  /** Memory of all blocks. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Takes text of ASCII alone, such as base64, without a copy on the way. */
  appendAscii(text: string): void {
    for (let at = 0; at < text.length; ) {
      const last = this.#blocks.at(-1);
      const written = last === undefined ? 0 : last.write(at === 0 ? text : text.slice(at), this.#used, "latin1");
      this.#used += written;
      at += written;
      if (at < text.length) this.#grow();
    }
  }

  append(text: string): void {
    let rest = Buffer.from(text);
    while (rest.byteLength > 0) {
      const last = this.#blocks.at(-1);
      const copied = last === undefined ? 0 : rest.copy(last, this.#used);
      this.#used += copied;
      rest = rest.subarray(copied);
      if (rest.byteLength > 0) this.#grow();
    }
  }

  /** The text so far. */
  *text(): Generator<Uint8Array> {
    for (const [index, block] of this.#blocks.entries())
      yield index < this.#blocks.length - 1 ? block : block.subarray(0, this.#used);
  }

  /** The text so far, each block of which is let go as soon as the next is asked for. */
  *drain(): Generator<Uint8Array> {
    while (this.#blocks.length > 0) {
      const [block] = this.text();
      if (block !== undefined) yield block;
      this.#heldBytes -= this.#blocks.shift()?.byteLength ?? 0;
    }
  }

  /** Blocks grow with the text: no more than half of what is held is empty. */
  #grow(): void {
    const bytes = Math.min(MAX_BLOCK_BYTES, Math.max(FIRST_BLOCK_BYTES, this.#heldBytes));
    this.#blocks.push(Buffer.allocUnsafeSlow(bytes));
    this.#heldBytes += bytes;
    this.#used = 0;
  }
}
