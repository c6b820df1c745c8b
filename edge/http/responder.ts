import { STATUS_CODES } from "node:http";
import type { Clock } from "#common/clock";
import type { HttpResponder } from "./exchange.js";

/** Largest piece handed to the engine at once: what it buffers for a client that is behind stays about this small. */
const SLICE_BYTES = 64 * 1024;

/** The engine disconnects a client that takes nothing for about 10 s. Until our own limit it is put off this often. */
const PUT_OFF_MS = 4000;

/** The part of the engine's response object that is used here. */
export interface RawResponse {
  writeStatus(status: string): unknown;
  writeHeader(name: string, value: string): unknown;
  /** False when not everything could be sent; the rest is buffered. */
  write(bytes: Uint8Array): boolean;
  end(bytes?: Uint8Array): unknown;
  endWithoutBody(): unknown;
  cork(action: () => void): unknown;
  close(): unknown;
  pause(): void;
  resume(): void;
  onWritable(handler: () => boolean): unknown;
}

export interface ResponderOptions {
  raw: RawResponse;
  method: string;
  clock: Clock;
  /** A client that takes nothing for this long is disconnected. */
  stallMs: number;
  /** Runs once, before the engine's object becomes unusable because the answer is complete. */
  beforeEnd: () => void;
}

/**
 * One answer over the engine's response object, which must not be touched after its end or the client's departure.
 *
 * ```
 * write ──► engine takes it all ─────────────────────────────► true
 *      └──► engine is behind ──► queue ──► writable event ──► queue empties ──► `writable` resolves
 * ```
 */
export class Responder implements HttpResponder {
  readonly #raw: RawResponse;
  readonly #options: ResponderOptions;
  readonly #gone = new AbortController();
  #head: { status: number; headers: Record<string, string> } | null = null;
  #headSent = false;
  /** `open` takes writes, `ending` waits for the queue to empty, `over` may not touch the engine. */
  #state: "open" | "ending" | "over" = "open";
  #behind = false;
  #queue: Uint8Array[] = [];
  #waiting: (() => void)[] = [];
  #cancelStall: (() => void) | null = null;

  constructor(options: ResponderOptions) {
    this.#raw = options.raw;
    this.#options = options;
    this.#raw.onWritable(() => this.#drain());
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

  end(bytes?: Uint8Array): void {
    if (this.#state !== "open") return;
    if (this.#behind) {
      this.#state = "ending";
      if (bytes !== undefined && bytes.byteLength > 0) this.#queue.push(Uint8Array.from(bytes));
      return;
    }
    this.#finish(bytes);
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
    this.#calm();
  }

  /** Hands bytes to the engine slice by slice; gives what is left when the client falls behind. */
  #offer(bytes: Uint8Array): Uint8Array | null {
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
  #drain(): boolean {
    if (this.#state === "over") return true;
    this.#raw.cork(() => undefined);
    if (!this.#behind) return true;
    this.#behind = false;
    while (!this.#behind && this.#queue.length > 0) {
      const rest = this.#offer(this.#queue.shift()!);
      if (rest !== null) this.#queue.unshift(rest);
    }
    if (this.#behind) return false;
    this.#calm();
    if (this.#state === "ending") this.#finish();
    return true;
  }

  #calm(): void {
    this.#behind = false;
    this.#cancelStall?.();
    this.#cancelStall = null;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }

  #finish(bytes?: Uint8Array): void {
    const announced = Number(this.#head?.headers["content-length"] ?? bytes?.byteLength ?? 0);
    this.#options.beforeEnd();
    this.#leave();
    this.#raw.cork(() => {
      this.#sendHead();
      // The engine does not count an answer with an announced length and no body as complete: the length is written as a plain header.
      if (this.#options.method === "HEAD") this.#raw.writeHeader("content-length", String(announced));
      if (this.#options.method === "HEAD") this.#raw.endWithoutBody();
      else if (this.#head?.status === 204 || this.#head?.status === 304) this.#raw.endWithoutBody();
      else if (bytes === undefined) this.#raw.end();
      else this.#raw.end(bytes);
    });
  }

  #sendHead(): void {
    if (this.#headSent) return;
    this.#headSent = true;
    const { status, headers } = this.#head ?? { status: 200, headers: {} };
    this.#raw.writeStatus(`${status} ${STATUS_CODES[status] ?? "Unknown"}`);
    for (const [name, value] of Object.entries(headers)) {
      // The engine writes the length itself: a second one would be a broken message.
      if (name.toLowerCase() !== "content-length") this.#raw.writeHeader(name, value);
    }
  }
}
