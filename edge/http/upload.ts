import { ServiceError } from "#protocol/errors";
import type { Clock } from "#common/clock";

/**
 * What may arrive before anybody asks for the body, such as while the key is being checked; then the socket is not read
 * further.
 */
const PREFETCH_BYTES = 64 * 1024;

/**
 * The engine breaks off a client that sends less than 160 KB in about 10 s. Who reads piece by piece judges that
 * himself, and answers.
 */
const PUT_OFF_MS = 4000;

/** Stops and restarts reading from the client. */
export interface UploadThrottle {
  pause(): void;
  resume(): void;
}

/** Collects one request's body from the moment its head has arrived, in memory bounded by whoever reads it. */
export class Upload {
  readonly #announcedBytes: number | null;
  readonly #throttle: UploadThrottle;
  readonly #clock: Clock;
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  #complete = false;
  #paused = false;
  #reader: { limitBytes: number; resolve: (body: Uint8Array) => void; reject: (error: unknown) => void } | null = null;
  /** Wakes who reads the body as it arrives. */
  #wake: () => void = () => undefined;
  #stopPuttingOff: () => void = () => undefined;
  /** Set once the body no longer matters: what still arrives is thrown away. */
  #over: unknown = null;

  /** `announcedBytes` is the content length, null when there is none. */
  constructor(announcedBytes: number | null, throttle: UploadThrottle, clock: Clock) {
    this.#clock = clock;
    this.#announcedBytes = announcedBytes;
    this.#throttle = throttle;
  }

  /** Takes the next piece. It is copied: the engine's memory is gone when this returns. */
  receive(chunk: Uint8Array, isLast: boolean): void {
    if (this.#over !== null) return;
    this.#bytes += chunk.byteLength;
    this.#chunks.push(chunk.slice());
    this.#complete = isLast;
    this.#wake();
    if (this.#reader !== null) this.#advance();
    else if (!isLast && this.#bytes >= PREFETCH_BYTES) this.#hold();
  }

  /** See `HttpRequest.stream`. The generator throws what `read` rejects with. */
  stream(limitBytes: number): AsyncGenerator<Uint8Array> {
    // The engine breaks off a client that sends slowly, unless nothing is read: it must not do so to one whose reader
    // is still waiting for room.
    if (!this.#complete && this.#over === null) this.#hold();
    return this.#pieces(limitBytes);
  }

  async *#pieces(limitBytes: number): AsyncGenerator<Uint8Array> {
    this.#stopPuttingOff = this.#putOff();
    try {
      for (;;) {
        if (this.#over === null && Math.max(this.#bytes, this.#announcedBytes ?? 0) > limitBytes)
          this.discard(tooLarge(limitBytes));
        if (this.#over !== null) throw this.#over;
        const chunk = this.#chunks.shift();
        if (chunk !== undefined) yield chunk;
        else if (this.#complete) return;
        else await this.#arrival();
      }
    } finally {
      this.#stopPuttingOff();
    }
  }

  /** Lets the client send; resolves with the next piece, or the end of all. */
  #arrival(): Promise<void> {
    const arrived = new Promise<void>((resolve) => (this.#wake = resolve));
    this.#flow();
    return arrived;
  }

  /** See `HttpRequest.body`. Rejects with `internal` when the client leaves first. */
  read(limitBytes: number): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      if (this.#over !== null) return reject(this.#over);
      this.#reader = { limitBytes, resolve, reject };
      this.#advance();
    });
  }

  /** Drops the body and lets the rest flow by, so that the connection stays usable for the next request. */
  discard(reason: unknown): void {
    if (this.#over !== null) return;
    this.#over = reason;
    this.#chunks = [];
    this.#reader?.reject(reason);
    this.#reader = null;
    this.#wake();
    // A reader that gave up between two pieces does not come back.
    this.#stopPuttingOff();
    this.#flow();
  }

  #advance(): void {
    const reader = this.#reader;
    if (reader === null) return;
    if (Math.max(this.#bytes, this.#announcedBytes ?? 0) > reader.limitBytes) {
      this.discard(tooLarge(reader.limitBytes));
    } else if (this.#complete) {
      const body = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks);
      this.#chunks = [body];
      this.#reader = null;
      reader.resolve(body);
    } else {
      this.#flow();
    }
  }

  /** Puts the engine's own limit off until the returned function is called. */
  #putOff(): () => void {
    const again = (): (() => void) =>
      this.#clock.after(PUT_OFF_MS, () => {
        // Resuming restarts the engine's limit, and is the only call that does so without side effects. It has none
        // while nothing is read.
        if (!this.#paused) {
          this.#throttle.pause();
          this.#throttle.resume();
        }
        cancel = again();
      });
    let cancel = again();
    return () => cancel();
  }

  #hold(): void {
    if (this.#paused) return;
    this.#paused = true;
    this.#throttle.pause();
  }

  #flow(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#throttle.resume();
  }
}

function tooLarge(limitBytes: number): ServiceError {
  return new ServiceError("payload_too_large", { parameters: { limitBytes } });
}
