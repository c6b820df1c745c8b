/** Stores a part of a file, counted from 0; `isLast`: it is the file's end. */
export type PutPart = (part: number, bytes: Uint8Array, isLast: boolean) => Promise<void>;

/** Cuts a file into parts of one size, which it stores as they fill. */
export class PartWriter {
  readonly #partBytes: number;
  readonly #put: PutPart;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #parts = 0;
  #bytes = 0;

  constructor(partBytes: number, put: PutPart) {
    this.#partBytes = partBytes;
    this.#put = put;
  }

  async write(pages: readonly Uint8Array[]): Promise<void> {
    for (const page of pages) {
      this.#waiting.push(page);
      this.#waitingBytes += page.byteLength;
    }
    // A part that is just full may be the last one.
    while (this.#waitingBytes > this.#partBytes) await this.#store(this.#partBytes, false);
  }

  /** Stores the rest; gives the length of the file. */
  async finish(): Promise<number> {
    if (this.#waitingBytes > 0) await this.#store(this.#waitingBytes, true);
    return this.#bytes;
  }

  async #store(bytes: number, isLast: boolean): Promise<void> {
    const joined = Buffer.concat(this.#waiting);
    await this.#put(this.#parts, joined.subarray(0, bytes), isLast);
    this.#parts++;
    this.#bytes += bytes;
    this.#waiting = [joined.subarray(bytes)];
    this.#waitingBytes -= bytes;
  }
}
