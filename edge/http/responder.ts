import { STATUS_CODES } from "node:http";
import type { Clock } from "#common/clock";
import type { HttpResponder } from "./exchange.js";

/** Largest piece handed to the engine at once: what it buffers for a client that is behind stays about this small. */
const SLICE_BYTES = 64 * 1024;

/** The engine disconnects a client that takes nothing for about 10 s. Until our own limit it is put off this often. */
const PUT_OFF_MS = 4000;

const nothing = new Uint8Array(0);

/** The part of the engine's response object that is used here. */
export interface RawResponse {
  writeStatus(status: string): unknown;
  writeHeader(name: string, value: string): unknown;
  /** False when not everything could be sent; the rest is buffered. */
  write(bytes: Uint8Array): boolean;
  end(bytes?: Uint8Array, closeConnection?: boolean): unknown;
  /**
   * Sends what the socket takes of a body of `totalBytes`, buffering nothing; whether that was all of `bytes`, and of
   * the body.
   */
  tryEnd(bytes: Uint8Array, totalBytes: number): [all: boolean, isComplete: boolean];
  endWithoutBody(reportedBytes?: number, closeConnection?: boolean): unknown;
  cork(action: () => void): unknown;
  close(): unknown;
  pause(): void;
  resume(): void;
  /** The handler is given how many bytes of a `tryEnd` body have been sent. */
  onWritable(handler: (sentBytes: number) => boolean): unknown;
}

export interface ResponderOptions {
  raw: RawResponse;
  method: string;
  clock: Clock;
  /** A client that takes nothing for this long is disconnected. */
  stallMs: number;
  /** Whether to close the connection after an answer without a body, whose sending cannot be watched. */
  closesBodiless: () => boolean;
  /**
   * Runs engine calls without corking this response: the engine closes a connection at the end of an answer only then.
   */
  uncorked: (action: () => void) => void;
  /** Runs once, when nothing more of the request matters. */
  beforeEnd: () => void;
}

/**
 * One answer over the engine's response object, which must not be touched after its end or the client's departure.
 *
 * ```
 * write ──► engine takes it all ─────────────────────────────► true
 *      └──► engine is behind ──► queue ──► writable event ──► queue empties ──► `writable` resolves
 *
 * end(body) alone ──► the socket takes all of it ──► over
 *                └──► the rest stays in `body` ──► writable event ──► … ──► over
 * ```
 *
 * Until an answer is sent in full, the engine breaks off a connection that sends its next request: a client that asks
 * on and never reads costs what one answer costs.
 */
export class Responder implements HttpResponder {
  readonly #raw: RawResponse;
  readonly #options: ResponderOptions;
  readonly #gone = new AbortController();
  #head: { status: number; headers: Record<string, string> } | null = null;
  #headSent = false;
  /** Whether `write` has sent a part of a chunked body. */
  #isChunked = false;
  /**
   * `open` takes writes, `ending` waits for the queue to empty, `sending` for the rest of a whole body, `closing` for
   * the turn in which it ends with its connection; `over` may not touch the engine.
   */
  #state: "open" | "ending" | "sending" | "closing" | "over" = "open";
  #behind = false;
  #queue: Uint8Array[] = [];
  /** The body that is being sent; never copied. */
  #body: Uint8Array = nothing;
  #waiting: (() => void)[] = [];
  #cancelStall: (() => void) | null = null;

  constructor(options: ResponderOptions) {
    this.#raw = options.raw;
    this.#options = options;
    this.#raw.onWritable((sentBytes) => this.#drain(sentBytes));
  }

  get begun(): boolean {
    return this.#head !== null;
  }

  get closed(): AbortSignal {
    return this.#gone.signal;
  }

  begin(status: number, headers: Record<string, string>): void {
    this.#head ??= { status, headers };
  }

  write(bytes: Uint8Array): boolean {
    if (this.#state !== "open" || this.#options.method === "HEAD" || bytes.byteLength === 0) return !this.#behind;
    if (this.#behind) {
      this.#queue.push(Uint8Array.from(bytes));
      return false;
    }
    const rest = this.#offer(bytes);
    if (rest !== null) this.#queue.push(Uint8Array.from(rest));
    return !this.#behind;
  }

  writable(): Promise<void> {
    if (this.#state === "over" || !this.#behind) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  end(bytes: Uint8Array = nothing): void {
    if (this.#state !== "open") return;
    this.#options.beforeEnd();
    if (this.#isBodiless()) return this.#endWithoutBody(bytes);
    if (this.#head?.headers["connection"] === "close") return this.#endAndClose(bytes);
    if (!this.#isChunked) return this.#sendBody(bytes);
    this.#state = "ending";
    const rest = this.#behind ? bytes : this.#offer(bytes);
    if (rest !== null && rest.byteLength > 0) this.#queue.push(Uint8Array.from(rest));
    if (!this.#behind) this.#endChunked();
  }

  abort(): void {
    if (this.#state !== "over") this.#raw.close();
  }

  /** The client is gone: the engine's object has expired. */
  lost(): void {
    this.#leave();
    this.#gone.abort();
  }

  /** The engine's object became something else, a WebSocket. */
  detach(): void {
    this.#leave();
  }

  #leave(): void {
    this.#state = "over";
    this.#queue = [];
    this.#body = nothing;
    this.#caughtUp();
  }

  #isBodiless(): boolean {
    return this.#options.method === "HEAD" || this.#head?.status === 204 || this.#head?.status === 304;
  }

  /** Hands bytes to the engine slice by slice; gives what is left when the client falls behind. */
  #offer(bytes: Uint8Array): Uint8Array | null {
    this.#isChunked = true;
    for (let at = 0; at < bytes.byteLength; at += SLICE_BYTES) {
      let taken = true;
      this.#raw.cork(() => {
        this.#sendHead();
        taken = this.#raw.write(bytes.subarray(at, at + SLICE_BYTES));
      });
      if (taken) continue;
      this.#fallBehind();
      return at + SLICE_BYTES < bytes.byteLength ? bytes.subarray(at + SLICE_BYTES) : null;
    }
    return null;
  }

  #sendBody(bytes: Uint8Array): void {
    this.#body = bytes;
    this.#state = "sending";
    this.#trySending(0);
  }

  /** Sends what the socket takes; the engine buffers none of the body. */
  #trySending(sentBytes: number): boolean {
    const body = this.#body;
    let [all, isComplete] = [false, false];
    this.#raw.cork(() => {
      this.#sendHead();
      [all, isComplete] = this.#raw.tryEnd(body.subarray(sentBytes), body.byteLength);
    });
    if (isComplete) this.#leave();
    else this.#fallBehind();
    return all;
  }

  #fallBehind(): void {
    this.#behind = true;
    this.#watchStall(this.#options.stallMs);
  }

  #watchStall(leftMs: number): void {
    const stepMs = Math.min(leftMs, PUT_OFF_MS);
    this.#cancelStall?.();
    this.#cancelStall = this.#options.clock.after(stepMs, () => {
      if (stepMs >= leftMs) {
        this.abort();
        return;
      }
      // Resuming restarts the engine's own limit, and is the only call that does so without side effects.
      this.#raw.pause();
      this.#raw.resume();
      this.#watchStall(leftMs - stepMs);
    });
  }

  /** The socket takes bytes again. The engine drains its own buffer only when it is written to, or corked. */
  #drain(sentBytes: number): boolean {
    if (this.#state === "over") return true;
    if (this.#state === "sending") return this.#trySending(sentBytes);
    this.#raw.cork(() => undefined);
    if (!this.#behind) return true;
    this.#behind = false;
    while (!this.#behind && this.#queue.length > 0) {
      const rest = this.#offer(this.#queue.shift()!);
      if (rest !== null) this.#queue.unshift(rest);
    }
    if (this.#behind) return false;
    this.#caughtUp();
    if (this.#state === "ending") this.#endChunked();
    return true;
  }

  #caughtUp(): void {
    this.#behind = false;
    this.#cancelStall?.();
    this.#cancelStall = null;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }

  #endChunked(): void {
    this.#leave();
    this.#raw.cork(() => this.#raw.end());
  }

  /** Ends a short answer and the connection: nothing that follows on it can be trusted. */
  #endAndClose(bytes: Uint8Array): void {
    this.#closeWith(() => this.#raw.end(bytes, true));
  }

  #endWithoutBody(bytes: Uint8Array): void {
    const isHead = this.#options.method === "HEAD";
    const announcedBytes = isHead ? Number(this.#head?.headers["content-length"] ?? bytes.byteLength) : 0;
    if (this.#options.closesBodiless()) return this.#closeWithoutBody(announcedBytes);
    this.#leave();
    this.#raw.cork(() => {
      this.#sendHead();
      // The engine does not count an answer with an announced length and no body as complete: the length is written as
      // a plain header.
      if (isHead) this.#raw.writeHeader("content-length", String(announcedBytes));
      this.#raw.endWithoutBody();
    });
  }

  #closeWithoutBody(announcedBytes: number): void {
    this.#closeWith(() => {
      // The engine closes only where a length is announced, a 204 included, and only when it is nothing.
      if (announcedBytes === 0) this.#raw.endWithoutBody(0, true);
      else {
        this.#raw.writeHeader("connection", "close");
        this.#raw.tryEnd(nothing, announcedBytes);
        this.#raw.close();
      }
    });
  }

  /**
   * Ends with the connection, in a later turn: within this one the engine might go on to the next request in the bytes
   * that it has read, and forget.
   */
  #closeWith(end: () => void): void {
    this.#state = "closing";
    setImmediate(() => {
      if (this.#state !== "closing") return;
      this.#leave();
      this.#options.uncorked(() => {
        this.#sendHead();
        end();
      });
    });
  }

  #sendHead(): void {
    if (this.#headSent) return;
    this.#headSent = true;
    const { status, headers } = this.#head ?? { status: 200, headers: {} };
    this.#raw.writeStatus(`${status} ${STATUS_CODES[status] ?? "Unknown"}`);
    for (const [name, value] of Object.entries(headers)) {
      // The engine writes the length, and the end of the connection, itself: a second one would be a broken message.
      if (name.toLowerCase() === "content-length" || (name === "connection" && value === "close")) continue;
      this.#raw.writeHeader(name, value);
    }
  }
}
