import { Objm, type ObjectStore } from "@nats-io/obj";
import { ServiceError } from "#protocol/errors";
import type { Bucket, ObjectBucket } from "./bus.js";
import { type NatsConnection, setMaxAge } from "./durable-messages.js";
import type { StorageConnection } from "./storage-connection.js";

const MIB = 1024 * 1024;
const LIMIT_MS = 10_000;
const LIMIT_MS_PER_MIB = 1000;
/** Nobody waits longer for an answer. */
const GET_LIMIT_MS = 20_000;

/** A bucket of JetStream's object store. A call that the server does not answer in time throws. */
export class NatsObjectBucket implements ObjectBucket {
  readonly #storage: StorageConnection;
  readonly #bucket: Bucket;
  #store: Promise<ObjectStore> | null = null;

  constructor(storage: StorageConnection, bucket: Bucket) {
    this.#storage = storage;
    this.#bucket = bucket;
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    const limitMs = LIMIT_MS + (bytes.byteLength / MIB) * LIMIT_MS_PER_MIB;
    await this.#storage.within(limitMs, async () => await (await this.#open()).putBlob({ name }, bytes));
  }

  async get(name: string): Promise<Uint8Array | null> {
    return await this.#storage.within(GET_LIMIT_MS, async () => await (await this.#open()).getBlob(name));
  }

  async names(): Promise<string[]> {
    return await this.#storage.within(GET_LIMIT_MS, async () =>
      (await (await this.#open()).list()).map((info) => info.name),
    );
  }

  async delete(name: string): Promise<void> {
    await this.#storage.within(LIMIT_MS, async () => {
      const store = await this.#open();
      if ((await store.info(name)) !== null) await store.delete(name);
    });
  }

  #open(): Promise<ObjectStore> {
    this.#store ??= this.#storage
      .get()
      .then((connection) => openStore(connection, this.#bucket))
      .catch((cause: unknown) => {
        // Forget the failure: the next call tries again, when JetStream may be up.
        this.#store = null;
        throw new ServiceError("dependency_unavailable", { parameters: { dependency: "Object storage" }, cause });
      });
    return this.#store;
  }
}

const NANOSECONDS_PER_MS = 1_000_000;

/**
 * Opens a bucket, made where it is missing. One of an earlier release may keep its objects for another time: that is
 * set right. The description of one that never held anything is written once more, as `makeStream` does.
 */
async function openStore(connection: NatsConnection, { name, maxAgeMs }: Bucket): Promise<ObjectStore> {
  const store = await new Objm(connection).create(name, { ttl: maxAgeMs * NANOSECONDS_PER_MS });
  const { streamInfo } = await store.status();
  if (streamInfo.config.max_age !== maxAgeMs * NANOSECONDS_PER_MS || streamInfo.state.last_seq === 0)
    await setMaxAge(connection, streamInfo.config.name, maxAgeMs);
  return store;
}
