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
      const found: { sequence: number; message: T }[] = [];
      for (let sequence = 1; ; ) {
        const stored = await manager.direct.getMessage(this.#stream.name, { seq: sequence, next_by_subj: subject });
        if (stored === null) return found;
        found.push({ sequence: stored.seq, message: decodeMsgpack(stored.data) as T });
        sequence = stored.seq + 1;
      }
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
