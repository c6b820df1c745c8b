import { setImmediate as nextTurn } from "node:timers/promises";

/** Audio that came in smaller parts is put together to blocks of this size: clients may send a few bytes at a time. */
const BLOCK_BYTES = 64 * 1024;
/** The first block of audio begins this small and grows: most sockets are silent. */
const SMALLEST_BLOCK_BYTES = 1024;
/** Given to a reader at once. */
const READ_BYTES = 32 * 1024;
/** Copied in one turn of the event loop. */
const TURN_BYTES = 1024 * 1024;

/** The bytes of one turn on a socket, which can be read while they come in, and again from the beginning. */
export class HeldAudio {
  /** Full blocks, which never change. */
  readonly #blocks: Uint8Array[];
  /** Takes small parts; its first `#filled` bytes are audio. */
  #open: Uint8Array = new Uint8Array(0);
  #filled = 0;
  #bytes: number;
  #isComplete = false;
  #wakeReaders: (() => void)[] = [];

  constructor(blocks: Uint8Array[] = []) {
    this.#blocks = blocks;
    this.#bytes = blocks.reduce((sum, block) => sum + block.length, 0);
  }

  get bytes(): number {
    return this.#bytes;
  }

  append(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#bytes += bytes.length;
    if (this.#filled + bytes.length > BLOCK_BYTES) this.#closeBlock();
    if (bytes.length > BLOCK_BYTES) this.#blocks.push(bytes);
    else {
      this.#makeRoom(this.#filled + bytes.length);
      this.#open.set(bytes, this.#filled);
      this.#filled += bytes.length;
    }
    this.#wake();
  }

  /** Nothing more will be appended: readers come to an end. */
  complete(): void {
    this.#isComplete = true;
    this.#wake();
  }

  /** Everything so far, in order. */
  blocks(): Uint8Array[] {
    return this.#filled === 0 ? [...this.#blocks] : [...this.#blocks, this.#open.slice(0, this.#filled)];
  }

  /**
   * Everything in small portions, as it comes, up to the end of the turn. An aborted signal rejects with its reason.
   */
  async *read(signal: AbortSignal): AsyncGenerator<Uint8Array> {
    for (let [block, from] = [0, 0]; ; ) {
      signal.throwIfAborted();
      const full = this.#blocks[block];
      const portion = (full ?? this.#open.subarray(0, this.#filled)).subarray(from, from + READ_BYTES);
      if (portion.length > 0) {
        from += portion.length;
        yield portion;
      } else if (full !== undefined) [block, from] = [block + 1, 0];
      else if (this.#isComplete) return;
      else await this.#more(signal);
    }
  }

  /** Everything as one piece of memory: a copy, made in small steps so that nobody waits for a hundred megabytes. */
  async file(signal: AbortSignal): Promise<Uint8Array> {
    const whole = Buffer.allocUnsafeSlow(this.#bytes);
    let [at, turnEndsAt] = [0, TURN_BYTES];
    for (const block of this.blocks()) {
      if (at >= turnEndsAt) {
        await nextTurn();
        signal.throwIfAborted();
        turnEndsAt = at + TURN_BYTES;
      }
      whole.set(block, at);
      at += block.length;
    }
    return whole;
  }

  #makeRoom(bytes: number): void {
    if (bytes <= this.#open.length) return;
    const larger = new Uint8Array(Math.min(BLOCK_BYTES, Math.max(SMALLEST_BLOCK_BYTES, bytes * 2)));
    larger.set(this.#open.subarray(0, this.#filled));
    this.#open = larger;
  }

  /** Readers keep their place: a closed block has the bytes that were in the open one, at the same offsets. */
  #closeBlock(): void {
    if (this.#filled > 0) this.#blocks.push(this.#open.slice(0, this.#filled));
    this.#open = new Uint8Array(0);
    this.#filled = 0;
  }

  async #more(signal: AbortSignal): Promise<void> {
    let stop: () => void = () => undefined;
    await new Promise<void>((resolve, reject) => {
      this.#wakeReaders.push(resolve);
      stop = () => reject(signal.reason);
      signal.addEventListener("abort", stop, { once: true });
    }).finally(() => signal.removeEventListener("abort", stop));
  }

  #wake(): void {
    for (const resume of this.#wakeReaders.splice(0)) resume();
  }
}
