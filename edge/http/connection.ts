import type { Clock } from "#common/clock";
import type { SocketConnection, SocketSession } from "./exchange.js";

/** Unsent bytes past which a stream should hold back, and below which it may go on. */
const HIGH_WATER_BYTES = 64 * 1024;
const LOW_WATER_BYTES = 16 * 1024;

/** A connection on which nothing arrived for this long is pinged: proxies and address translators keep it open then. */
const PING_AFTER_MS = 20_000;

/** Longest close reason that fits a control frame (RFC 6455 section 5.5), bytes. */
const MAX_REASON_BYTES = 123;

/** The part of the engine's WebSocket that is used here. */
export interface RawSocket {
  /** 1 sent, 0 buffered, 2 dropped. */
  send(data: Uint8Array | string, isBinary: boolean): number;
  ping(): number;
  getBufferedAmount(): number;
  end(code: number, reason: string): void;
  close(): void;
}

export interface ConnectionOptions {
  raw: RawSocket;
  clock: Clock;
  /** A client that takes nothing for this long is disconnected. */
  stallMs: number;
  /** A connection on which nothing arrives for this long, pongs included, is closed. */
  idleMs: number;
}

/** One WebSocket over the engine's object, which must not be touched after its close event. */
export class Connection implements SocketConnection {
  readonly #options: ConnectionOptions;
  readonly #gone = new AbortController();
  #session: SocketSession | null = null;
  #state: "open" | "closing" | "over" = "open";
  #farewell: { code: number; reason: string } | null = null;
  #waiting: (() => void)[] = [];
  #cancelStall: (() => void) | null = null;
  #heardAtMs: number;
  #pingedAtMs: number;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#heardAtMs = options.clock.nowMs();
    this.#pingedAtMs = this.#heardAtMs;
  }

  get closed(): AbortSignal {
    return this.#gone.signal;
  }

  /** Starts handing frames to `session`. */
  attach(session: SocketSession): void {
    if (this.#state === "over") session.end();
    else this.#session = session;
  }

  send(data: Uint8Array | string): boolean {
    if (this.#state !== "open") return true;
    const result = this.#options.raw.send(data, typeof data !== "string");
    // With no limit on the engine's buffer nothing is dropped; were it so, a gap in the audio would be worse than the end of it.
    if (result === 2) this.#options.raw.close();
    return this.#keepsUp();
  }

  writable(): Promise<void> {
    if (this.#state === "over" || this.#keepsUp()) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  bufferedBytes(): number {
    return this.#state === "over" ? 0 : this.#options.raw.getBufferedAmount();
  }

  /** The close frame follows everything sent before; the engine would drop a slow client's rest soon after its own close. */
  close(code: number, reason: string): void {
    if (this.#state !== "open") return;
    this.#state = "closing";
    this.#farewell = { code, reason: shorten(reason) };
    if (this.bufferedBytes() === 0) this.#leave();
    else this.#watchStall();
  }

  /** A frame has arrived. */
  receive(data: Uint8Array, isBinary: boolean): void {
    this.heard();
    if (this.#state === "open") this.#session?.message(data, isBinary);
  }

  /** Anything has arrived: the peer lives. */
  heard(): void {
    this.#heardAtMs = this.#options.clock.nowMs();
  }

  /** The client took bytes. */
  drained(): void {
    if (this.#state === "over") return;
    const buffered = this.bufferedBytes();
    if (buffered > 0) this.#watchStall();
    else this.#calm();
    if (buffered <= LOW_WATER_BYTES) this.#release();
    if (buffered === 0 && this.#state === "closing") this.#leave();
  }

  /** Asks the session to finish. */
  drain(): void {
    if (this.#session?.drain === undefined) this.close(1001, "The server is shutting down");
    else this.#session.drain();
  }

  /** Pings a silent peer and closes one that has been silent for too long. Call every few seconds. */
  checkLife(): void {
    if (this.#state !== "open") return;
    const nowMs = this.#options.clock.nowMs();
    if (nowMs - this.#heardAtMs >= this.#options.idleMs) {
      this.close(1001, "Nothing arrived for too long");
    } else if (nowMs - Math.max(this.#heardAtMs, this.#pingedAtMs) >= PING_AFTER_MS && this.bufferedBytes() === 0) {
      this.#pingedAtMs = nowMs;
      this.#options.raw.ping();
    }
  }

  /** The engine's object has expired. */
  lost(): void {
    if (this.#state === "over") return;
    this.#state = "over";
    this.#calm();
    this.#release();
    this.#gone.abort();
    this.#session?.end();
  }

  #leave(): void {
    const farewell = this.#farewell ?? { code: 1000, reason: "" };
    // The engine reports the close from inside this call.
    this.#options.raw.end(farewell.code, farewell.reason);
  }

  #keepsUp(): boolean {
    const buffered = this.bufferedBytes();
    if (buffered > 0 && this.#cancelStall === null) this.#watchStall();
    return buffered <= HIGH_WATER_BYTES;
  }

  #watchStall(): void {
    this.#cancelStall?.();
    this.#cancelStall = this.#options.clock.after(this.#options.stallMs, () => {
      if (this.#state !== "over" && this.bufferedBytes() > 0) this.#options.raw.close();
    });
  }

  #calm(): void {
    this.#cancelStall?.();
    this.#cancelStall = null;
  }

  #release(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}

function shorten(reason: string): string {
  const bytes = Buffer.from(reason);
  // A cut inside a character would not be UTF-8 any more: the decoder's replacement mark is dropped.
  return bytes.byteLength <= MAX_REASON_BYTES ? reason : bytes.subarray(0, MAX_REASON_BYTES).toString().replace(/\uFFFD$/, "");
}
