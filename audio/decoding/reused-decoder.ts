/** Steps in which a decoder's memory is cleared. */
const BLOCK_BYTES = 64 * 1024;
/** Behind so many blocks in a row that hold nothing, a decoder has written nothing. */
const EMPTY_BLOCKS = 16;
const emptyBlock = new Uint8Array(BLOCK_BYTES);

interface HeldDecoder<Decoder> {
  decoder: Decoder;
  memory: Uint8Array;
  /** What the memory held when the decoder was new, up to the last byte that was not 0. */
  fresh: Uint8Array;
}

/**
 * Keeps a decoder compiled to WebAssembly from one file to the next. Each new one brings a memory of 16 MB that counts
 * as part of V8's heap: with one for each file, every second file cost a thread a collection of its whole heap. After a
 * file the memory is put back to what it held when the decoder was new, so that a file finds nothing of another one and
 * is decoded to the same bits.
 */
export class ReusedDecoder<Decoder> {
  readonly #open: () => Promise<Decoder>;
  readonly #memoryOf: (decoder: Decoder) => ArrayBuffer;
  #held: HeldDecoder<Decoder> | null = null;

  /** `memoryOf` gives the whole memory of a decoder that is ready. */
  constructor(open: () => Promise<Decoder>, memoryOf: (decoder: Decoder) => ArrayBuffer) {
    this.#open = open;
    this.#memoryOf = memoryOf;
  }

  /**
   * Has `work` decode one file. Rejects with what it throws; the decoder is then given up, since it may have been left
   * in the middle of a call.
   */
  async use(work: (decoder: Decoder) => void | Promise<void>): Promise<void> {
    const held = this.#held ?? hold(await this.#open(), this.#memoryOf);
    // A file that is decoded at the same time has a decoder of its own.
    this.#held = null;
    await work(held.decoder);
    // A memory that grew has moved.
    if (held.memory.length === 0) return;
    renew(held);
    this.#held = held;
  }
}

function hold<Decoder>(decoder: Decoder, memoryOf: (decoder: Decoder) => ArrayBuffer): HeldDecoder<Decoder> {
  const memory = new Uint8Array(memoryOf(decoder));
  let end = memory.length;
  while (end > 0 && memory[end - 1] === 0) end--;
  return { decoder, memory, fresh: memory.slice(0, end) };
}

function renew<Decoder>({ memory, fresh }: HeldDecoder<Decoder>): void {
  memory.set(fresh);
  let empty = 0;
  for (let at = fresh.length; at < memory.length && empty < EMPTY_BLOCKS; at += BLOCK_BYTES) {
    const block = memory.subarray(at, at + BLOCK_BYTES);
    if (Buffer.compare(block, emptyBlock.subarray(0, block.length)) === 0) empty++;
    else {
      block.fill(0);
      empty = 0;
    }
  }
}
