import { type JetStreamManager, JetStreamApiError, jetstream, jetstreamManager } from "@nats-io/jetstream";
import { ServiceError } from "#protocol/errors";
import { decodeMsgpack, encodeMsgpack } from "#protocol/msgpack";
import { newIdentifier } from "../identifier.js";
import type { Logger } from "../log.js";
import { type DurableStream, LogConflict, type SubjectLog } from "./bus.js";
import { makeStream } from "./durable-messages.js";
import type { StorageConnection } from "./storage-connection.js";

const LIMIT_MS = 5000;
/** JetStream's code for a subject that has another last message. */
const WRONG_LAST_SEQUENCE = 10_071;

/** A `SubjectLog` on JetStream: the server compares the last sequence of a subject before it stores. */
export class NatsSubjectLog implements SubjectLog {
  readonly #storage: StorageConnection;
  readonly #stream: DurableStream;
  readonly #log: Logger;
  #manager: Promise<JetStreamManager> | null = null;

  constructor(storage: StorageConnection, stream: DurableStream, log: Logger) {
    this.#storage = storage;
    this.#stream = stream;
    this.#log = log;
  }

  async read<T>(subject: string): Promise<{ sequence: number; message: T }[]> {
    return await this.#answered(async () => {
      const manager = await this.#open();
      const last = await manager.direct.getMessage(this.#stream.name, { last_by_subj: subject });
      if (last === null) return [];
      // All in one go: asked for one by one, an hour's messages take seconds.
      const client = jetstream(await this.#storage.get());
      const consumer = await client.consumers.get(this.#stream.name, { filter_subjects: subject });
      const stored = await consumer.consume();
      const found: { sequence: number; message: T }[] = [];
      for await (const { seq, data } of stored) {
        found.push({ sequence: seq, message: decodeMsgpack(data) as T });
        if (seq >= last.seq) break;
      }
      await consumer.delete();
      return found;
    });
  }

  async append(subject: string, message: object, after: number): Promise<number> {
    // Sent again under the same id, a message that was stored and not acknowledged is not stored twice.
    const options = { msgID: newIdentifier(), expect: { lastSubjectSequence: after } };
    return await this.#answered(async () => {
      await this.#open();
      const client = jetstream(await this.#storage.get());
      const data = encodeMsgpack(message);
      const publish = () => client.publish(subject, data, { ...options, timeout: LIMIT_MS / 3 });
      try {
        return (await publish().catch((error: unknown) => (isConflict(error) ? Promise.reject(error) : publish()))).seq;
      } catch (error) {
        throw isConflict(error) ? new LogConflict(subject) : error;
      }
    });
  }

  async purge(subject: string): Promise<void> {
    await this.#answered(async () => {
      await (await this.#open()).streams.purge(this.#stream.name, { filter: subject });
    });
  }

  #open(): Promise<JetStreamManager> {
    this.#manager ??= this.#storage
      .get()
      .then(async (connection) => {
        const manager = await jetstreamManager(connection);
        await makeStream(manager, this.#stream, this.#log);
        return manager;
      })
      .catch((error: unknown) => {
        // The next call tries again, when JetStream may be up.
        this.#manager = null;
        throw error;
      });
    return this.#manager;
  }

  async #answered<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await this.#storage.within(LIMIT_MS, work);
    } catch (cause) {
      if (cause instanceof LogConflict) throw cause;
      // A stream that vanished with its server's disk is made again.
      this.#manager = null;
      throw new ServiceError("dependency_unavailable", { parameters: { dependency: "The log" }, cause });
    }
  }
}

function isConflict(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.code === WRONG_LAST_SEQUENCE;
}
