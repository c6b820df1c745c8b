import type { Socket } from "node:net";

/** What a proxy does to what passes it. */
export type Chaos =
  | { type: "pass" }
  /** Everything arrives so much later, in order. */
  | { type: "latency"; delayMs: number }
  /** So many bytes a second in each direction, in small portions. */
  | { type: "drip"; bytesPerSecond: number }
  /** Connections stay open, new ones too, and nothing passes: a cut cable, or a firewall that drops. */
  | { type: "black-hole" }
  /** Each connection is reset before more than so many bytes pass it, in both directions together, from now on. */
  | { type: "reset-after"; bytes: number }
  /** The server ends its side of each connection, and still reads. */
  | { type: "half-close" }
  /** Nobody listens; connections that are open stay so. */
  | { type: "refuse" };

/** More than this is left with the sender, in the kernel's buffers. */
const MAX_QUEUED_BYTES = 1024 * 1024;

/** How often a portion of a drip goes. */
const DRIP_MS = 20;

export interface LaneOptions {
  chaos: () => Chaos;
  /** Called before so many bytes are passed on; false where the connection ends instead. */
  mayPass: (bytes: number) => boolean;
}

/** One direction of a connection through the proxy. */
export class ChaosLane {
  readonly #from: Socket;
  readonly #to: Socket;
  readonly #direction: "to-server" | "to-client";
  readonly #options: LaneOptions;
  readonly #queue: { bytes: Buffer; arrivedMs: number }[] = [];
  #queuedBytes = 0;
  #timer: NodeJS.Timeout | null = null;
  #isEnded = false;
  #isClosed = false;

  constructor(from: Socket, to: Socket, direction: "to-server" | "to-client", options: LaneOptions) {
    this.#from = from;
    this.#to = to;
    this.#direction = direction;
    this.#options = options;
    from.on("data", (bytes: Buffer) => this.#receive(bytes));
    from.on("end", () => {
      this.#isEnded = true;
      this.#work();
    });
    this.switched();
  }

  /** The proxy does something else now. */
  switched(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#isClosed) return;
    if (this.#options.chaos().type === "half-close" && this.#direction === "to-client") this.#to.end();
    this.#work();
  }

  close(): void {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #receive(bytes: Buffer): void {
    this.#queue.push({ bytes, arrivedMs: performance.now() });
    this.#queuedBytes += bytes.byteLength;
    if (this.#queuedBytes > MAX_QUEUED_BYTES) this.#from.pause();
    this.#work();
  }

  /** Passes on what is due, and comes back when the next is. */
  #work(): void {
    if (this.#timer !== null) return;
    for (;;) {
      if (this.#isClosed) return;
      const chaos = this.#options.chaos();
      if (chaos.type === "black-hole") return;
      const [head] = this.#queue;
      if (head === undefined) {
        if (this.#isEnded) this.#to.end();
        return;
      }
      const waitMs = chaos.type === "latency" ? head.arrivedMs + chaos.delayMs - performance.now() : 0;
      if (waitMs > 0) return this.#comeBack(waitMs);
      if (chaos.type !== "drip") {
        this.#pass(head.bytes.byteLength);
        continue;
      }
      this.#pass(Math.max(1, Math.round((chaos.bytesPerSecond * DRIP_MS) / 1000)));
      return this.#comeBack(DRIP_MS);
    }
  }

  #comeBack(afterMs: number): void {
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#work();
    }, afterMs);
  }

  /** Passes the first `count` bytes of the queue's head on, or all of them. */
  #pass(count: number): void {
    const head = this.#queue[0];
    if (head === undefined) return;
    const bytes = head.bytes.subarray(0, count);
    if (!this.#options.mayPass(bytes.byteLength)) return;
    head.bytes = head.bytes.subarray(bytes.byteLength);
    if (head.bytes.byteLength === 0) this.#queue.shift();
    this.#queuedBytes -= bytes.byteLength;
    if (this.#from.isPaused() && this.#queuedBytes < MAX_QUEUED_BYTES) this.#from.resume();
    if (this.#to.writable) this.#to.write(bytes);
  }
}
