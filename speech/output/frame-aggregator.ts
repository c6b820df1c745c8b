/**
 * Joins encoded bytes to frames of at least a size: some clients drop small ones. The rest comes out when it is asked
 * for. Bytes handed out are copies, safe to keep.
 */
export class FrameAggregator {
  readonly #minBytes: number;
  #parts: Uint8Array[] = [];
  #bytes = 0;

  constructor(minBytes: number) {
    this.#minBytes = minBytes;
  }

  /** Adds bytes; gives a frame when there are enough. */
  add(bytes: Uint8Array): Uint8Array | null {
    this.#parts.push(bytes);
    this.#bytes += bytes.byteLength;
    return this.#bytes >= this.#minBytes ? this.rest() : null;
  }

  /** What is left, however little; null when that is nothing. */
  rest(): Uint8Array | null {
    if (this.#bytes === 0) return null;
    const frame = Buffer.concat(this.#parts);
    this.#parts = [];
    this.#bytes = 0;
    return frame;
  }
}
