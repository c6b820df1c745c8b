/**
 * Joins encoded bytes to frames of at least a size: some clients drop small ones. The rest comes out when it is asked
 * for. What was added belongs to the frames.
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
    const [only] = this.#parts;
    const frame = only !== undefined && this.#parts.length === 1 ? only : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#bytes = 0;
    return frame;
  }
}
