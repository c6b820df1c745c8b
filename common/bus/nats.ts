import { connect, type Msg, type NatsConnection } from "@nats-io/transport-node";
import { usageStream } from "#protocol/bus/usage-stream";
import { decodeMsgpack, encodeMsgpack } from "#protocol/msgpack";
import { ServiceError } from "#protocol/errors";
import { systemClock } from "../clock.js";
import type { Logger } from "../log.js";
import type {
  Bucket,
  Bus,
  ConsumeOptions,
  DurableHandler,
  DurableSubscription,
  ObjectBucket,
  DurableStream,
  SubjectLog,
  Subscription,
} from "./bus.js";
import { DurablePublisher } from "./durable-publisher.js";
import { consumeDurable } from "./durable-messages.js";
import { NatsObjectBucket } from "./object-bucket.js";
import { isNoResponders, StorageConnection } from "./storage-connection.js";
import { NatsSubjectLog } from "./subject-log.js";

/** What is published here must not be lost: money depends on it. */
const durableSubjects: readonly string[] = usageStream.subjects;

/** Usage that waits for its stream: 0.4 KB each. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;

/** How long somebody who takes requests may take for one that asks nothing. */
const PROBE_MS = 500;

/** How long `close` waits for what is to be stored. */
const CLOSE_MS = 1000;

/**
 * Connects to a NATS server and waits for it: a role may start before its server does.
 * A lost connection is retried for ever; `onReconnect` tells when messages may have been missed.
 * `url` may carry a user name and password, which the client library would not take from it.
 */
export async function connectNats(options: { url: string; name: string; log: Logger }): Promise<Bus> {
  const connection = await connectTo({ ...options, waits: true });
  return new NatsBus(
    connection,
    () => connectTo({ ...options, name: `${options.name}-storage`, waits: true }),
    options.log,
  );
}

/** Which of a server's parts answer. */
export interface NatsHealth {
  server: boolean;
  /** What stores streams and objects: a part that the server gives up when it cannot write, and runs on without. */
  jetStream: boolean;
}

/**
 * Asks a server how it is, over a connection of its own. A server that is stuck may answer nothing on it any more: take
 * another one then.
 */
export interface NatsProbe {
  ask(timeoutMs: number): Promise<NatsHealth>;
  close(): Promise<void>;
}

/** Connects a probe; rejects where no server answers. A connection that is lost later is retried for ever. */
export async function probeNats(options: { url: string; name: string }): Promise<NatsProbe> {
  const connection = await connectTo({ ...options, waits: false });
  const within = async (work: Promise<unknown>, timeoutMs: number): Promise<boolean> => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), timeoutMs);
    });
    const answered = work.then(
      () => true,
      () => false,
    );
    return await Promise.race([answered, late]).finally(() => clearTimeout(timer));
  };
  return {
    async ask(timeoutMs) {
      // First: behind a question that a stuck stream holds up, nothing is answered.
      const server = await within(connection.flush(), timeoutMs);
      // The list has what each stream holds: a stream that is stuck holds it up.
      const jetStream = connection.request("$JS.API.STREAM.LIST", "{}", { timeout: timeoutMs }).then((answer) => {
        if (answer.string().includes('"error"')) throw new Error("JetStream answers with an error");
      });
      return { server, jetStream: await within(jetStream, timeoutMs) };
    },
    close: () => connection.close(),
  };
}

/** `waits`: for a server that is not there yet. */
async function connectTo(options: { url: string; name: string; waits: boolean }): Promise<NatsConnection> {
  const url = new URL(options.url);
  return await connect({
    servers: `${url.protocol}//${url.host}`,
    ...(url.username === "" ? {} : { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) }),
    name: options.name,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 100,
    reconnectJitter: 50,
    waitOnFirstConnect: options.waits,
    pingInterval: 5000,
    maxPingOut: 2,
    // The library makes two errors with stacks for every request, in case it fails.
    noAsyncTraces: true,
  });
}

class NatsBus implements Bus {
  readonly #connection: NatsConnection;
  readonly #storage: StorageConnection;
  readonly #durable: DurablePublisher;
  readonly #log: Logger;
  readonly #reconnectCallbacks: (() => void)[] = [];
  readonly #buckets = new Map<string, NatsObjectBucket>();
  #connected = true;

  constructor(connection: NatsConnection, connectStorage: () => Promise<NatsConnection>, log: Logger) {
    this.#connection = connection;
    this.#storage = new StorageConnection(connectStorage, () => this.#durable.retry());
    this.#durable = new DurablePublisher({
      clock: systemClock,
      maxBytes: MAX_WAITING_BYTES,
      send: (message) => this.#storage.publish(message),
      onDropped: (messages) =>
        log.error({ messages }, "usage was lost: its stream cannot store, and too much waits for it"),
    });
    this.#log = log;
    void this.#watchStatus();
  }

  publish(subject: string, message: object): void {
    if (this.#connection.isClosed()) return;
    if (durableSubjects.includes(subject)) this.#durable.publish(subject, encodeMsgpack(message));
    else this.#connection.publish(subject, encodeMsgpack(message));
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

  async isAnswered(subject: string): Promise<boolean> {
    try {
      await this.#connection.request(subject, encodeMsgpack({}), { timeout: PROBE_MS });
      return true;
    } catch (error) {
      return !isNoResponders(error);
    }
  }

  respond<Q, A extends object>(
    subject: string,
    handler: (question: Q) => Promise<A>,
    options: { queue?: string } = {},
  ): Subscription {
    return this.#listen(subject, options.queue, (message) => {
      handler(decodeMsgpack(message.data) as Q).then(
        (answer) => message.respond(encodeMsgpack(answer)),
        (error: unknown) => this.#log.error({ err: error, subject }, "a request handler failed without a reply"),
      );
    });
  }

  consume<T>(options: ConsumeOptions, handler: DurableHandler<T>): DurableSubscription {
    return consumeDurable(() => this.#storage.get(), options, handler, this.#log);
  }

  subjectLog(stream: DurableStream): SubjectLog {
    return new NatsSubjectLog(this.#storage, stream, this.#log);
  }

  onReconnect(callback: () => void): void {
    this.#reconnectCallbacks.push(callback);
  }

  isConnected(): boolean {
    return this.#connected;
  }

  objects(bucket: Bucket): ObjectBucket {
    const known = this.#buckets.get(bucket.name) ?? new NatsObjectBucket(this.#storage, bucket);
    this.#buckets.set(bucket.name, known);
    return known;
  }

  async flush(): Promise<void> {
    await Promise.all([this.#connection.flush(), this.#durable.settled()]);
  }

  async close(): Promise<void> {
    await Promise.race([this.#durable.settled(), new Promise((resolve) => setTimeout(resolve, CLOSE_MS).unref())]);
    this.#durable.close();
    await Promise.all([this.#storage.close(), this.#connection.isClosed() ? null : this.#connection.drain()]);
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
        for (const callback of this.#reconnectCallbacks) callback();
      }
    }
  }
}
