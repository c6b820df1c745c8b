import { ServiceError } from "#protocol/errors";

/** What may arrive before anybody asks for the body, such as while the key is being checked; then the socket is not read further. */
const PREFETCH_BYTES = 64 * 1024;

/** Stops and restarts reading from the client. */
export interface UploadThrottle {
  pause(): void;
  resume(): void;
}

/** Collects one request's body from the moment its head has arrived, in memory bounded by whoever reads it. */
export class Upload {
  readonly #announcedBytes: number | null;
  readonly #throttle: UploadThrottle;
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  #complete = false;
  #paused = false;
  #reader: { limitBytes: number; resolve: (body: Uint8Array) => void; reject: (error: unknown) => void } | null = null;
  /** Set once the body no longer matters: what still arrives is thrown away. */
  #over: unknown = null;

  /** `announcedBytes` is the content length, null when there is none. */
  constructor(announcedBytes: number | null, throttle: UploadThrottle) {
    this.#announcedBytes = announcedBytes;
    this.#throttle = throttle;
  }

  /** Takes the next piece. It is copied: the engine's memory is gone when this returns. */
  receive(chunk: Uint8Array, isLast: boolean): void {
    if (this.#over !== null) return;
    this.#bytes += chunk.byteLength;
    this.#chunks.push(chunk.slice());
    this.#complete = isLast;
    if (this.#reader !== null) this.#advance();
    else if (!isLast && this.#bytes >= PREFETCH_BYTES && !this.#paused) {
      this.#paused = true;
      this.#throttle.pause();
    }
  }

  /** See `HttpRequest.body`. Rejects with `internal` when the client leaves first. */
  read(limitBytes: number): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      if (this.#over !== null) return reject(this.#over);
      this.#reader = { limitBytes, resolve, reject };
      this.#advance();
    });
  }

  /** Forgets the body and lets the rest flow by, so that the connection stays usable for the next request. */
  discard(reason: unknown): void {
    if (this.#over !== null) return;
    this.#over = reason;
    this.#chunks = [];
    this.#reader?.reject(reason);
    this.#reader = null;
    this.#flow();
  }

  #advance(): void {
    const reader = this.#reader;
    if (reader === null) return;
    if (Math.max(this.#bytes, this.#announcedBytes ?? 0) > reader.limitBytes) {
      this.discard(new ServiceError("payload_too_large", { parameters: { limitBytes: reader.limitBytes } }));
    } else if (this.#complete) {
      const body = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks);
      this.#chunks = [body];
      this.#reader = null;
      reader.resolve(body);
    } else {
      this.#flow();
    }
  }

  #flow(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#throttle.resume();
  }
}
