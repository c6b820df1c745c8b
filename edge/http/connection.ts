import { limits } from "#protocol/limit-table";
import type { Clock } from "#common/clock";
import { type Rate, TokenBucket } from "#common/token-bucket";
import { closeCodes } from "./close-codes.js";
import type { SocketConnection, SocketSession } from "./exchange.js";

/** Unsent bytes past which a stream should hold back, and below which it may go on. */
const HIGH_WATER_BYTES = 64 * 1024;
const LOW_WATER_BYTES = 16 * 1024;

/** A connection on which nothing arrived for this long is pinged: proxies and address translators keep it open then. */
const PING_AFTER_MS = 20_000;

/** Pings and pongs that a client may send. The engine answers each ping at once, whether or not the client reads. */
const controlFrameRate: Rate = { burst: limits.controlFrames.most, perSecond: 10 };

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
  /** Largest frame, bytes. */
  maxFrameBytes: number;
}

/** One WebSocket over the engine's object, which must not be touched after its close event. */
export class Connection implements SocketConnection {
  readonly #options: ConnectionOptions;
  readonly #gone = new AbortController();
  #session: SocketSession | null = null;
  #state: "open" | "closing" | "over" = "open";
  #closeFrame: { code: number; reason: string } | null = null;
  #waiting: (() => void)[] = [];
  #cancelStall: (() => void) | null = null;
  #lastSeenAtMs: number;
  #pingedAtMs: number;
  #queuedBytes = 0;
  readonly #controlFrames: TokenBucket;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#lastSeenAtMs = options.clock.nowMs();
    this.#pingedAtMs = this.#lastSeenAtMs;
    this.#controlFrames = new TokenBucket(controlFrameRate, this.#lastSeenAtMs);
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
    // A gap in the audio would be worse than the end of it.
    if (result === 2) this.#options.raw.close();
    // Writers wait long before (`writable`): what gets here is sent without waiting, such as answers to frames of a
    // client that never reads.
    else if (this.bufferedBytes() > limits.unsentBytes.most)
      this.close(closeCodes.tryAgainLater, "What is sent is not read");
    return this.#keepsUp();
  }

  writable(): Promise<void> {
    if (this.#state === "over" || this.#keepsUp()) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  bufferedBytes(): number {
    return this.#state === "over" ? 0 : this.#options.raw.getBufferedAmount();
  }

  /**
   * The close frame follows everything sent before; the engine would drop a slow client's rest soon after its own
   * close.
   */
  close(code: number, reason: string): void {
    if (this.#state !== "open") return;
    this.#state = "closing";
    this.#closeFrame = { code, reason: shorten(reason) };
    if (this.bufferedBytes() === 0) this.#leave();
    else this.#watchStall();
  }

  /**
   * A frame has arrived, and waits for its turn (`receive`). False when it is not wanted: the connection is over, or
   * frames come too fast.
   */
  queueFrame(bytes: number): boolean {
    this.#seen();
    if (this.#state !== "open") return false;
    this.#queuedBytes += bytes;
    if (this.#queuedBytes <= this.#options.maxFrameBytes + limits.waitingFrameBytes.most) return true;
    this.close(closeCodes.policy, "Frames come faster than they can be read");
    return false;
  }

  /** Hands a queued frame to the session. */
  receive(data: Uint8Array, isBinary: boolean): void {
    this.#queuedBytes -= data.byteLength;
    if (this.#state === "open") this.#session?.message(data, isBinary);
  }

  /** A ping or a pong has arrived; the engine has answered a ping already. */
  controlFrame(): void {
    this.#seen();
    if (this.#state !== "open") return;
    if (!this.#controlFrames.take(this.#options.clock.nowMs()))
      this.close(closeCodes.policy, "Too many control frames");
    else this.#keepsUp();
  }

  #seen(): void {
    this.#lastSeenAtMs = this.#options.clock.nowMs();
  }

  /** The client took bytes. */
  drained(): void {
    if (this.#state === "over") return;
    const buffered = this.bufferedBytes();
    if (buffered > 0) this.#watchStall();
    else this.#clearStall();
    if (buffered <= LOW_WATER_BYTES) this.#release();
    if (buffered === 0 && this.#state === "closing") this.#leave();
  }

  /** Asks the session to finish. */
  drain(): void {
    if (this.#session?.drain === undefined) this.close(closeCodes.goingAway, "The server is shutting down");
    else this.#session.drain();
  }

  /** Pings a silent peer and closes one that has been silent for too long. Call every few seconds. */
  checkLife(): void {
    if (this.#state !== "open") return;
    const nowMs = this.#options.clock.nowMs();
    if (nowMs - this.#lastSeenAtMs >= this.#options.idleMs) {
      this.close(closeCodes.goingAway, "Nothing arrived for too long");
    } else if (nowMs - Math.max(this.#lastSeenAtMs, this.#pingedAtMs) >= PING_AFTER_MS && this.bufferedBytes() === 0) {
      this.#pingedAtMs = nowMs;
      this.#options.raw.ping();
    }
  }

  /** The engine's object has expired. */
  lost(): void {
    if (this.#state === "over") return;
    this.#state = "over";
    this.#clearStall();
    this.#release();
    this.#gone.abort();
    this.#session?.end();
  }

  #leave(): void {
    const frame = this.#closeFrame ?? { code: closeCodes.normal, reason: "" };
    // The engine reports the close from inside this call.
    this.#options.raw.end(frame.code, frame.reason);
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

  #clearStall(): void {
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
  return bytes.byteLength <= MAX_REASON_BYTES
    ? reason
    : bytes
        .subarray(0, MAX_REASON_BYTES)
        .toString()
        .replace(/\uFFFD$/, "");
}
