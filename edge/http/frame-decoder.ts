import { ServiceError } from "#protocol/errors";
import { limits } from "#protocol/limit-table";
import { decodeBody, MAX_INLINE_BYTES } from "#common/http/body-decoder";
import { decodeBodyHere, type EncodedBody } from "#common/http/body-encoding";

export interface FrameDecoderOptions extends Omit<EncodedBody, "bytes"> {
  maxFrameBytes: number;
  /** Takes a frame's value, a stranger's: `bytes` is what it was encoded in. */
  onFrame(value: unknown, bytes: number): void;
  /**
   * Takes why a frame has no value, in its turn: `malformed_json`, `malformed_msgpack`, `overloaded`, and
   * `payload_too_large` for frames that come faster than they can be decoded.
   */
  onError(error: ServiceError): void;
}

/**
 * Decodes the frames of one WebSocket, in order: small ones at once, large ones on the thread for large bodies
 * (`decodeBody`), which those that follow wait for.
 */
export class FrameDecoder {
  readonly #options: FrameDecoderOptions;
  readonly #waiting: (Uint8Array | (() => void))[] = [];
  #waitingBytes = 0;
  #isBusy = false;
  #isOver = false;

  constructor(options: FrameDecoderOptions) {
    this.#options = options;
  }

  /** Takes a frame, whose memory is given away. */
  push(frame: Uint8Array): void {
    if (this.#isOver) return;
    if (!this.#isBusy && frame.byteLength <= MAX_INLINE_BYTES)
      return this.#give(() => decodeBodyHere(this.#encoded(frame)), frame.byteLength);
    const limitBytes = this.#options.maxFrameBytes + limits.waitingFrameBytes.most;
    if (this.#waitingBytes + frame.byteLength > limitBytes) {
      return this.#options.onError(new ServiceError("payload_too_large", { parameters: { limitBytes } }));
    }
    this.#waitingBytes += frame.byteLength;
    this.#waiting.push(frame);
    if (!this.#isBusy) void this.#work();
  }

  /** Runs an action once every frame that came before has been given. */
  afterFrames(action: () => void): void {
    if (this.#isBusy) this.#waiting.push(action);
    else action();
  }

  /** Gives nothing more. */
  stop(): void {
    this.#isOver = true;
    this.#waiting.length = 0;
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      if (typeof next === "function") {
        next();
        continue;
      }
      const bytes = next.byteLength;
      const decoded = await decodeBody(this.#encoded(next)).then(
        (value) => () => value,
        (error: unknown) => () => {
          throw error;
        },
      );
      this.#waitingBytes -= bytes;
      if (!this.#isOver) this.#give(decoded, bytes);
    }
    this.#isBusy = false;
  }

  #encoded(bytes: Uint8Array): EncodedBody {
    const { encoding, fileFields } = this.#options;
    return { encoding, bytes, fileFields };
  }

  #give(decode: () => unknown, bytes: number): void {
    let value: unknown;
    try {
      value = decode();
    } catch (error) {
      return this.#options.onError(
        error instanceof ServiceError ? error : new ServiceError("internal", { cause: error }),
      );
    }
    this.#options.onFrame(value, bytes);
  }
}
