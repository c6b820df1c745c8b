import type { Clock } from "../clock.js";

/**
 * What became of a message: `stored` by a stream, `refused` by one that could not store it, `unheard` since nobody
 * takes that subject, `silent` where no answer came.
 */
export type PublishOutcome = "stored" | "refused" | "unheard" | "silent";

export interface DurablePublisherOptions {
  /** Sends one message, once. Never rejects. */
  send(message: { subject: string; data: Uint8Array }): Promise<PublishOutcome>;
  clock: Clock;
  /** Bytes that wait for a stream at most; past it the oldest messages go. */
  maxBytes: number;
  /** Called with the number of messages that were given up for want of room. */
  onDropped(messages: number): void;
}

interface Waiting {
  subject: string;
  data: Uint8Array;
}

const MAX_IN_FLIGHT = 256;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;

/**
 * Publishes messages for a stream until it has them: at least once, and not always in order. While the stream has no
 * room, or is not there, they wait here, and one is tried at a time. As long as no stream ever took a message of this
 * process, one that is not answered is taken for one that has only listeners: it is not sent again, since they would
 * get it twice.
 */
export class DurablePublisher {
  readonly #options: DurablePublisherOptions;
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #inFlight = 0;
  #hasStored = false;
  /** Milliseconds until the next attempt after failures; null while all goes well. */
  #waitMs: number | null = null;
  #cancelWait: () => void = () => undefined;
  #settled: (() => void)[] = [];
  #closed = false;

  constructor(options: DurablePublisherOptions) {
    this.#options = options;
  }

  publish(subject: string, data: Uint8Array): void {
    this.#waiting.push({ subject, data });
    this.#waitingBytes += data.byteLength;
    this.#makeRoom();
    this.#sendAll();
  }

  /** Resolves when everything published so far is stored, or was tried and has to wait. */
  settled(): Promise<void> {
    if (this.#isSettled()) return Promise.resolve();
    return new Promise((resolve) => this.#settled.push(resolve));
  }

  /** Tries again at once: the server may be another one by now. */
  retry(): void {
    if (this.#waitMs === null) return;
    this.#cancelWait();
    this.#waitMs = FIRST_WAIT_MS;
    this.#sendOne();
  }

  /** Gives up what waits. */
  close(): void {
    this.#closed = true;
    this.#cancelWait();
    this.#waiting = [];
  }

  #sendAll(): void {
    while (this.#waitMs === null && this.#inFlight < MAX_IN_FLIGHT && this.#waiting.length > 0) this.#sendOne();
  }

  #sendOne(): void {
    const message = this.#waiting.shift();
    if (message === undefined) return;
    this.#inFlight++;
    void this.#options.send(message).then((outcome) => {
      this.#inFlight--;
      this.#settle(message, outcome);
      if (this.#isSettled()) for (const resolve of this.#settled.splice(0)) resolve();
    });
  }

  #settle(message: Waiting, outcome: PublishOutcome): void {
    if (this.#closed) return;
    if (outcome === "stored") {
      this.#hasStored = true;
      this.#waitMs = null;
      this.#cancelWait();
    }
    if (outcome === "stored" || (outcome === "silent" && !this.#hasStored)) {
      this.#waitingBytes -= message.data.byteLength;
      this.#sendAll();
      return;
    }
    this.#waiting.unshift(message);
    this.#makeRoom();
    // Of many that fail together, the last one sets the time.
    if (this.#inFlight > 0) {
      this.#waitMs ??= FIRST_WAIT_MS;
      return;
    }
    const waitMs = this.#waitMs ?? FIRST_WAIT_MS;
    this.#waitMs = Math.min(LONGEST_WAIT_MS, waitMs * 2);
    this.#cancelWait();
    this.#cancelWait = this.#options.clock.after(waitMs, () => this.#sendOne());
  }

  #makeRoom(): void {
    let dropped = 0;
    while (this.#waitingBytes > this.#options.maxBytes && this.#waiting.length > 0) {
      this.#waitingBytes -= this.#waiting.shift()?.data.byteLength ?? 0;
      dropped++;
    }
    if (dropped > 0) this.#options.onDropped(dropped);
  }

  #isSettled(): boolean {
    if (this.#closed) return true;
    return this.#inFlight === 0 && (this.#waiting.length === 0 || this.#waitMs !== null);
  }
}
