import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "undici";
import type { OpenAnswer, OpenExchange } from "./exchange.js";
import { MAX_RESPONSE_HEADER_BYTES, sendOn, toOutboundError, watchBytes } from "./exchange.js";
import { OutboundError } from "./outbound-error.js";
import { NO_ENCODING, type OutboundStream, type OutboundStreamRequest, streamAnswer } from "./stream.js";

export interface PersistentConnectionOptions {
  /** What stands before the path of every URL. */
  origin: string;
  /** Judges where a connection may lead, and opens it, until the signal fires. Throws OutboundError. */
  connect(signal: AbortSignal, limitMs: number): Promise<Socket>;
  /** Checks a request; throws OutboundError. */
  check(request: OutboundStreamRequest): Pick<OpenExchange, "target" | "headers">;
  /** Sends a request over a connection of its own. */
  streamOnce(request: OutboundStreamRequest): Promise<OutboundStream>;
}

/** For names, connection and TLS together. */
const CONNECT_MS = 10_000;
/** Longer than people are silent; most servers end an idle connection sooner, and say so. */
const KEEP_ALIVE_MS = 120_000;
/** What still comes of an answer that nobody reads any more may take so long; else the connection ends. */
const REST_MS = 250;
/** How long a request waits for that rather than for a connection of its own. */
const SHORT_REST_MS = 30;

/** A connection to one origin that serves requests one after the other, and may stand before the first of them. */
export class PersistentConnection {
  readonly #options: PersistentConnectionOptions;
  readonly #client: Client;
  /** Connected ahead, and not given to the client. */
  #spare: Promise<Socket | null> | null = null;
  /** What the client was given last. */
  #socket: Socket | null = null;
  #isBusy = false;
  /** Settles when nothing more comes of an answer that nobody reads any more. */
  #rest: Promise<void> | null = null;
  #isWarm = false;
  #isClosed = false;

  /** Nothing is connected yet. */
  constructor(options: PersistentConnectionOptions) {
    this.#options = options;
    this.#client = new Client(options.origin, {
      pipelining: 1,
      maxHeaderSize: MAX_RESPONSE_HEADER_BYTES,
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      connect: (_options, callback) => {
        // The client would connect again for a request that was given up.
        if (!this.#isBusy) return callback(new OutboundError("cancelled"), null);
        this.#take().then(
          (socket) => {
            this.#socket = socket;
            callback(null, socket);
          },
          (error: unknown) => callback(error as Error, null),
        );
      },
    });
  }

  /**
   * Connects where no connection stands, and again whenever a request that is given up takes the connection with it.
   * What goes wrong shows when a request is sent.
   */
  warm(): void {
    this.#isWarm = true;
    if (this.#isClosed || this.#isStanding || this.#spare !== null) return;
    const spare: Promise<Socket | null> = this.#connect().then(
      (socket) => {
        if (this.#isClosed) socket.destroy();
        const forget = (): void => {
          if (this.#spare === spare) this.#spare = null;
        };
        socket.once("close", forget);
        socket.on("error", forget);
        socket.once("readable", endEarly);
        return socket;
      },
      () => {
        this.#spare = null;
        return null;
      },
    );
    this.#spare = spare;
  }

  /**
   * As `StreamingOutbound.stream`, for URLs of the origin. While an answer is still being read, another request gets a
   * connection of its own.
   */
  async stream(request: OutboundStreamRequest): Promise<OutboundStream> {
    const { streamOnce, origin } = this.#options;
    if (!request.url.startsWith(`${origin}/`)) return await streamOnce(request);
    // Its end is mostly there already.
    if (this.#rest !== null) await Promise.race([this.#rest, pause(SHORT_REST_MS)]);
    if (this.#isClosed || this.#isBusy) return await streamOnce(request);
    this.#isBusy = true;
    try {
      return await streamAnswer(request, (signal) => this.#open(request, signal));
    } catch (error) {
      this.#isBusy = false;
      throw error;
    }
  }

  /** Ends the connection, with whatever is under way on it. */
  close(): void {
    this.#isClosed = true;
    void this.#spare?.then((socket) => socket?.destroy());
    this.#client.destroy().catch(() => undefined);
  }

  get #isStanding(): boolean {
    return this.#socket !== null && !this.#socket.destroyed;
  }

  /** Gives the connection that was opened ahead, or a new one. */
  async #take(): Promise<Socket> {
    const spare = this.#spare;
    this.#spare = null;
    const socket = await spare;
    if (socket === null || socket === undefined || socket.destroyed) return await this.#connect();
    socket.removeListener("readable", endEarly);
    return socket;
  }

  async #connect(): Promise<Socket> {
    const connecting = new AbortController();
    // The socket would be destroyed by the signal later too: it fires only while connecting.
    const timer = setTimeout(() => connecting.abort(), CONNECT_MS);
    try {
      return await this.#options.connect(connecting.signal, CONNECT_MS);
    } finally {
      clearTimeout(timer);
    }
  }

  async #open(request: OutboundStreamRequest, signal: AbortSignal): Promise<OpenAnswer> {
    const wasIdle = this.#isStanding || this.#spare !== null;
    try {
      return await this.#exchange(request, signal);
    } catch (error) {
      // Whoever keeps a connection may find that the server has just ended it; nothing was answered.
      const isStale = wasIdle && !signal.aborted && toOutboundError(error, signal).reason === "connection_lost";
      if (!isStale) throw error;
      return await this.#exchange(request, signal);
    }
  }

  async #exchange(request: OutboundStreamRequest, signal: AbortSignal): Promise<OpenAnswer> {
    const { method, body = null, maxResponseBytes } = request;
    const { target, headers } = this.#options.check(request);
    const ending = new AbortController();
    const kill = (): void => ending.abort();
    signal.addEventListener("abort", kill, { once: true });
    if (signal.aborted) kill();
    const stopWatch = watchBytes(() => this.#socket, maxResponseBytes);
    const over = (): void => {
      stopWatch();
      this.#isBusy = false;
    };
    try {
      const exchange = { target, headers, method, body, encodings: NO_ENCODING, signal: ending.signal };
      const answer = await sendOn(this.#client, exchange);
      let isTakenOver = false;
      return {
        ...answer,
        close: () => {
          if (isTakenOver) return;
          kill();
          over();
          if (this.#isWarm) this.warm();
        },
        keep: (rest) => {
          isTakenOver = true;
          signal.removeEventListener("abort", kill);
          this.#rest = readRest(rest, kill).then(() => {
            this.#rest = null;
            over();
          });
        },
      };
    } catch (error) {
      stopWatch();
      throw toOutboundError(error, signal);
    }
  }
}

/** Ends a connection on which a server speaks before it was asked, or says goodbye. */
function endEarly(this: Socket): void {
  this.destroy();
}

/** Reads what is left of an answer, so that the connection can serve the next; ends it where that takes too long. */
async function readRest(rest: AsyncGenerator<Uint8Array, void, void>, kill: () => void): Promise<void> {
  const timer = setTimeout(kill, REST_MS);
  try {
    while ((await rest.next()).done !== true);
  } catch {
    kill(); // nobody waits for it
  } finally {
    clearTimeout(timer);
  }
}
