import { connect, type Msg, type NatsConnection } from "@nats-io/transport-node";
import { Objm, type ObjectStore } from "@nats-io/obj";
import { decodeMsgpack, encodeMsgpack } from "#protocol/msgpack";
import { ServiceError } from "#protocol/errors";
import type { Logger } from "../log.js";
import type { Bucket, Bus, ConsumeOptions, KeptHandler, KeptSubscription, ObjectBucket, Subscription } from "./bus.js";
import { consumeKept, setMaxAge } from "./kept-messages.js";

/**
 * Connects to a NATS server and waits for it: a role may start before its server does.
 * A lost connection is retried for ever; `onReconnect` tells when messages may have been missed.
 * `url` may carry a user name and password, which the client library would not take from it.
 */
export async function connectNats(options: { url: string; name: string; log: Logger }): Promise<Bus> {
  const url = new URL(options.url);
  const connection = await connect({
    servers: `${url.protocol}//${url.host}`,
    ...(url.username === "" ? {} : { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) }),
    name: options.name,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 100,
    reconnectJitter: 50,
    waitOnFirstConnect: true,
    pingInterval: 5000,
    maxPingOut: 2,
  });
  return new NatsBus(connection, options.log);
}

class NatsBus implements Bus {
  readonly #connection: NatsConnection;
  readonly #log: Logger;
  readonly #reconnectListeners: (() => void)[] = [];
  readonly #buckets = new Map<string, NatsObjectBucket>();
  #connected = true;

  constructor(connection: NatsConnection, log: Logger) {
    this.#connection = connection;
    this.#log = log;
    void this.#watchStatus();
  }

  publish(subject: string, message: object): void {
    if (this.#connection.isClosed()) return;
    this.#connection.publish(subject, encodeMsgpack(message));
  }

  subscribe<T>(subject: string, handler: (message: T) => void, options: { queue?: string } = {}): Subscription {
    return this.#listen(subject, options.queue, (message) => handler(decodeMsgpack(message.data) as T));
  }

  async request<T>(subject: string, message: object, options: { timeoutMs: number; dependency: string }): Promise<T> {
    try {
      const answer = await this.#connection.request(subject, encodeMsgpack(message), { timeout: options.timeoutMs });
      return decodeMsgpack(answer.data) as T;
    } catch (cause) {
      throw new ServiceError("dependency_unavailable", { parameters: { dependency: options.dependency }, cause });
    }
  }

  respond<Q, A extends object>(subject: string, handler: (question: Q) => Promise<A>, options: { queue?: string } = {}): Subscription {
    return this.#listen(subject, options.queue, (message) => {
      handler(decodeMsgpack(message.data) as Q).then(
        (answer) => message.respond(encodeMsgpack(answer)),
        (error: unknown) => this.#log.error({ err: error, subject }, "a request handler failed without a reply"),
      );
    });
  }

  consume<T>(options: ConsumeOptions, handler: KeptHandler<T>): KeptSubscription {
    return consumeKept(this.#connection, options, handler, this.#log);
  }

  onReconnect(listener: () => void): void {
    this.#reconnectListeners.push(listener);
  }

  isConnected(): boolean {
    return this.#connected;
  }

  objects(bucket: Bucket): ObjectBucket {
    const known = this.#buckets.get(bucket.name) ?? new NatsObjectBucket(this.#connection, bucket);
    this.#buckets.set(bucket.name, known);
    return known;
  }

  async flush(): Promise<void> {
    await this.#connection.flush();
  }

  async close(): Promise<void> {
    if (!this.#connection.isClosed()) await this.#connection.drain();
  }

  #listen(subject: string, queue: string | undefined, handle: (message: Msg) => void): Subscription {
    return this.#connection.subscribe(subject, {
      queue,
      callback: (error, message) => {
        if (error !== null) {
          this.#log.error({ err: error, subject }, "a subscription failed");
          return;
        }
        // One bad message must not end the subscription: every later stream would hang.
        try {
          handle(message);
        } catch (handlerError) {
          this.#log.error({ err: handlerError, subject }, "a message handler failed");
        }
      },
    });
  }

  async #watchStatus(): Promise<void> {
    for await (const status of this.#connection.status()) {
      if (status.type === "disconnect") {
        this.#connected = false;
        this.#log.warn("lost the connection to NATS");
      } else if (status.type === "reconnect") {
        this.#connected = true;
        this.#log.info("connected to NATS again");
        for (const listener of this.#reconnectListeners) listener();
      }
    }
  }
}

class NatsObjectBucket implements ObjectBucket {
  readonly #connection: NatsConnection;
  readonly #bucket: Bucket;
  #store: Promise<ObjectStore> | null = null;

  constructor(connection: NatsConnection, bucket: Bucket) {
    this.#connection = connection;
    this.#bucket = bucket;
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    await (await this.#open()).putBlob({ name }, bytes);
  }

  async get(name: string): Promise<Uint8Array | null> {
    return await (await this.#open()).getBlob(name);
  }

  async delete(name: string): Promise<void> {
    const store = await this.#open();
    if ((await store.info(name)) !== null) await store.delete(name);
  }

  #open(): Promise<ObjectStore> {
    this.#store ??= openStore(this.#connection, this.#bucket).catch((cause: unknown) => {
      // Forget the failure: the next call tries again, when JetStream may be up.
      this.#store = null;
      throw new ServiceError("dependency_unavailable", { parameters: { dependency: "Object storage" }, cause });
    });
    return this.#store;
  }
}

const NANOSECONDS_PER_MS = 1_000_000;

/** Opens a bucket, made where it is missing. One of an earlier release may keep its objects for another time: that is set right. */
async function openStore(connection: NatsConnection, { name, maxAgeMs }: Bucket): Promise<ObjectStore> {
  const store = await new Objm(connection).create(name, { ttl: maxAgeMs * NANOSECONDS_PER_MS });
  const { streamInfo } = await store.status();
  if (streamInfo.config.max_age !== maxAgeMs * NANOSECONDS_PER_MS) await setMaxAge(connection, streamInfo.config.name, maxAgeMs);
  return store;
}
