import type { PublishOutcome } from "./durable-publisher.js";
import type { NatsConnection } from "./durable-messages.js";

/** How long a server may take to say that it stored a message. */
const ANSWER_MS = 5000;
const CLOSE_MS = 1000;

/**
 * A process's connection to the part of the NATS server that stores. It is apart from the one that speech goes over: a
 * server whose disk is full may stop reading from whoever gives it something to store, for good (nats-server 2.9 locks
 * itself out of its own stream then). Connected when it is first used; connected anew when the server leaves something
 * unanswered.
 */
export class StorageConnection {
  readonly #connect: () => Promise<NatsConnection>;
  readonly #onReconnect: () => void;
  #connecting: Promise<NatsConnection> | null = null;
  #closed = false;
  #renewedAtMs = Number.NEGATIVE_INFINITY;

  constructor(connect: () => Promise<NatsConnection>, onReconnect: () => void) {
    this.#connect = connect;
    this.#onReconnect = onReconnect;
  }

  get(): Promise<NatsConnection> {
    this.#connecting ??= this.#open().catch((error: unknown) => {
      // The next call tries again.
      this.#connecting = null;
      throw error;
    });
    return this.#connecting;
  }

  /** Does `work` within a time. Rejects when that is over. */
  async within<T>(limitMs: number, work: () => Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(new Error(`the object store did not answer within ${Math.round(limitMs / 1000)} s`));
        void this.#renew().catch(() => undefined);
      }, limitMs);
    });
    return await Promise.race([work(), late]).finally(() => clearTimeout(timer));
  }

  /** Publishes a message for a stream, once; never rejects. */
  async publish({ subject, data }: { subject: string; data: Uint8Array }): Promise<PublishOutcome> {
    try {
      const connection = await this.get();
      const answer = await connection.request(subject, data, { timeout: ANSWER_MS });
      return answer.string().includes('"error"') ? "refused" : "stored";
    } catch (error) {
      if (isNoResponders(error)) return "unheard";
      void this.#renew().catch(() => undefined);
      return "silent";
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    const connection = await Promise.race([this.#connecting, null]);
    if (connection === null || connection.isClosed()) return;
    // A server that is away, or does not read any more, does not end a drain either.
    await Promise.race([
      connection.drain().catch(() => undefined),
      new Promise((resolve) => setTimeout(resolve, CLOSE_MS).unref()),
    ]);
    await connection.close();
  }

  async #open(): Promise<NatsConnection> {
    const connection = await this.#connect();
    void this.#watch(connection);
    if (this.#closed) await connection.close();
    return connection;
  }

  async #watch(connection: NatsConnection): Promise<void> {
    for await (const status of connection.status()) if (status.type === "reconnect") this.#onReconnect();
  }

  /**
   * Leaves a server connection that answers nothing any more; of many calls that find it so, the first one does.
   * Rejects where it is gone anyway.
   */
  async #renew(): Promise<void> {
    const nowMs = performance.now();
    if (nowMs - this.#renewedAtMs < ANSWER_MS) return;
    this.#renewedAtMs = nowMs;
    const connection = await this.get();
    if (!connection.isClosed()) await connection.reconnect();
  }
}

/** Whether nobody at all takes a subject; the client library wraps that, or not. */
export function isNoResponders(error: unknown): boolean {
  const wrapped = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return wrapped instanceof Error && wrapped.name === "NoResponders";
}
