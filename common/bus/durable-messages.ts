import {
  AckPolicy,
  DeliverPolicy,
  DiscardPolicy,
  type JetStreamManager,
  JetStreamApiError,
  type JsMsg,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
} from "@nats-io/jetstream";
import { ServiceError } from "#protocol/errors";
import { decodeMsgpack } from "#protocol/msgpack";
import { FailureNotice } from "../failure-notice.js";
import type { Logger } from "../log.js";
import type { ConsumeOptions, DurableHandler, DurableStream, DurableSubscription, StoredPlace } from "./bus.js";
import { sizesToTry } from "./stream-size.js";

/** A connection to a NATS server; `common/bus/nats` makes it. */
export type NatsConnection = Parameters<typeof jetstream>[0];

const RETRY_MS = 500;
const LOOK_AGAIN_MS = 50;
/** A batch that was not acknowledged by then is given to somebody else: its consumer died. */
const ACK_WAIT_MS = 10_000;
const NANOSECONDS = 1_000_000;

/**
 * Takes stored messages in batches and acknowledges a batch once `handler` is done with it. What fails comes again, and
 * so does what a killed consumer had taken: at least once. The stream and the consumer are made where they are missing,
 * and made again should they vanish.
 */
export function consumeDurable<T>(
  connect: () => Promise<NatsConnection>,
  options: ConsumeOptions,
  handler: DurableHandler<T>,
  log: Logger,
): DurableSubscription {
  const waiting: JsMsg[] = [];
  let stopped = false;
  let closeSource: () => void = () => undefined;
  let wake: () => void = () => undefined;
  let opened: () => void = () => undefined;
  const ready = new Promise<void>((resolve) => (opened = resolve));
  const arrival = (): Promise<void> => new Promise((resolve) => (wake = resolve));
  const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

  const receive = async (): Promise<void> => {
    const notice = new FailureNotice();
    while (!stopped) {
      try {
        const connection = await connect();
        if (connection.isClosed()) return;
        const messages = await open(connection, options, log, (message) => {
          waiting.push(message);
          wake();
        });
        closeSource = () => messages.stop();
        notice.clear();
        opened();
        if (stopped) closeSource();
        await messages.closed();
      } catch (error) {
        if (!stopped && notice.isNews(error))
          log.warn({ err: error, stream: options.stream.name }, "cannot take durable messages; trying on");
      }
      if (!stopped) await pause(RETRY_MS);
    }
  };
  const work = async (): Promise<void> => {
    const notice = new FailureNotice();
    while (!stopped) {
      if (waiting.length === 0) await arrival();
      if (waiting.length < options.batch && options.lingerMs > 0 && !stopped) await pause(options.lingerMs);
      if (stopped) return;
      const batch = waiting.splice(0, options.batch);
      if (batch.length > 0) await deal(batch, handler, options, { log, notice });
    }
  };
  const received = receive();
  const worked = work();
  return {
    ready,
    async caughtUp(withinMs) {
      await ready;
      const manager = await jetstreamManager(await connect());
      const { last_seq } = (await manager.streams.info(options.stream.name)).state;
      const untilMs = performance.now() + withinMs;
      for (;;) {
        const { ack_floor, num_pending, num_ack_pending } = await manager.consumers.info(
          options.stream.name,
          options.consumer,
        );
        if (ack_floor.stream_seq >= last_seq || num_pending + num_ack_pending === 0) return;
        if (performance.now() > untilMs)
          throw new ServiceError("dependency_unavailable", { parameters: { dependency: "The stream of usage" } });
        await pause(LOOK_AGAIN_MS);
      }
    },
    async stop() {
      stopped = true;
      closeSource();
      wake();
      // What was taken and not begun goes back at once instead of after the wait for an acknowledgement.
      for (const message of waiting.splice(0)) message.nak();
      await Promise.all([received, worked]);
    },
  };
}

/** Changes how long a stream keeps its messages. */
export async function setMaxAge(connection: NatsConnection, stream: string, maxAgeMs: number): Promise<void> {
  const manager = await jetstreamManager(connection);
  const { config } = await manager.streams.info(stream);
  const max_age = maxAgeMs * NANOSECONDS;
  // The server takes no window for duplicates that is longer than messages are stored.
  const duplicate_window = max_age === 0 ? config.duplicate_window : Math.min(config.duplicate_window, max_age);
  await manager.streams.update(stream, { ...config, max_age, duplicate_window });
}

const consumerSettings = ({ consumer, batch }: ConsumeOptions) => ({
  durable_name: consumer,
  ack_policy: AckPolicy.Explicit,
  ack_wait: ACK_WAIT_MS * NANOSECONDS,
  max_ack_pending: batch * 4,
});

/** Messages before the place from which a consumer goes on that are handed out once more. */
const REPEATED = 1000;

/**
 * Sees that a stream has lost its end, says so, and lets the consumer go on at what is stored from then on. A server
 * that lost power, or whose files were cut off, recovers what it can read without a word, and gives the lost messages'
 * sequences to new ones: its consumer, which has had those sequences, would leave the new messages out. Some were stored
 * before this look: the last ones before it come again, as after any end of a consumer.
 */
async function catchLostEnd(manager: JetStreamManager, options: ConsumeOptions, log: Logger): Promise<void> {
  const { stream, consumer } = options;
  const { delivered, ack_floor } = await manager.consumers.info(stream.name, consumer);
  const { last_seq } = (await manager.streams.info(stream.name)).state;
  if (delivered.stream_seq <= last_seq) return;
  log.error(
    { stream: stream.name, consumer, lostMessages: delivered.stream_seq - last_seq },
    "JetStream has lost the end of a stream: its server lost power, or its files were damaged; messages that were stored last are gone, and new ones are dealt with",
  );
  const from = Math.min(ack_floor.stream_seq, last_seq) + 1 - REPEATED;
  await manager.consumers.delete(stream.name, consumer);
  await manager.consumers.add(stream.name, {
    ...consumerSettings(options),
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: Math.max(1, from),
  });
}

async function open(
  connection: NatsConnection,
  options: ConsumeOptions,
  log: Logger,
  onMessage: (message: JsMsg) => void,
) {
  const { stream, consumer, batch } = options;
  const manager = await jetstreamManager(connection);
  await makeStream(manager, stream, log);
  const known = await manager.consumers.info(stream.name, consumer).catch(() => null);
  // Where it began cannot be changed later.
  const { deliver_policy = DeliverPolicy.All, opt_start_seq } = known?.config ?? {};
  const start = opt_start_seq === undefined ? { deliver_policy } : { deliver_policy, opt_start_seq };
  await manager.consumers.add(stream.name, { ...consumerSettings(options), ...start });
  await catchLostEnd(manager, options, log);
  const source = await jetstream(connection).consumers.get(stream.name, consumer);
  return await source.consume({ max_messages: batch * 2, callback: onMessage, abort_on_missing_resource: true });
}

/**
 * JetStream's codes: for a stream that is to have more room than the server has left, and for one that is there
 * already, of another size.
 */
const NO_ROOM = 10_047;
const NAME_TAKEN = 10_058;

/**
 * Makes a stream, or brings one up to date, with as much of the wanted room as the server gives. JetStream sets a
 * stream's room aside when it is made and refuses what it does not have.
 *
 * A stream that was just made is updated as well: where nats-server 2.9 could not write a new stream's description on a
 * full disk, it leaves an empty file, takes the stream for made when it is asked again, and would know nothing of it
 * after its next start. An update writes the description anew.
 */
export async function makeStream(manager: JetStreamManager, stream: DurableStream, log: Logger): Promise<void> {
  const settings = {
    subjects: stream.subjects,
    max_age: stream.maxAgeMs * NANOSECONDS,
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    discard: DiscardPolicy.Old,
    // Messages can be read one by one.
    allow_direct: true,
  };
  const known = await manager.streams.info(stream.name).catch(() => null);
  let refusal: unknown = null;
  for (const maxBytes of sizesToTry(stream.maxBytes, known?.config.max_bytes ?? null)) {
    try {
      if (known === null) await manager.streams.add({ name: stream.name, ...settings, max_bytes: maxBytes });
      await manager.streams.update(stream.name, { ...settings, max_bytes: maxBytes });
      if (maxBytes < stream.maxBytes)
        log.warn(
          { stream: stream.name, maxBytes, wantedBytes: stream.maxBytes },
          "JetStream has little room: a stream is smaller than it should be",
        );
      return;
    } catch (error) {
      if (!(error instanceof JetStreamApiError)) throw error;
      // Another process made it meanwhile.
      if (known === null && error.code === NAME_TAKEN) return await makeStream(manager, stream, log);
      if (error.code !== NO_ROOM) throw error;
      refusal = error;
    }
  }
  throw new Error(
    `JetStream has no room for the stream ${stream.name}: make room on the disk of the NATS server, or raise its max_file_store`,
    { cause: refusal },
  );
}

/** Hands a batch to the handler; what it fails at comes again. `notice` is that of the whole subscription. */
async function deal<T>(
  batch: readonly JsMsg[],
  handler: DurableHandler<T>,
  options: ConsumeOptions,
  { log, notice }: { log: Logger; notice: FailureNotice },
): Promise<void> {
  const readable: T[] = [];
  const places: StoredPlace[] = [];
  for (const message of batch) {
    try {
      readable.push(decodeMsgpack(message.data) as T);
      places.push({ subject: message.subject, sequence: message.seq });
    } catch (error) {
      log.error({ err: error, stream: options.stream.name }, "a durable message that cannot be read was dropped");
    }
  }
  try {
    await handler(readable, batch.at(-1)?.info.pending ?? 0, places);
    for (const message of batch) message.ack();
    if (notice.clear()) log.info({ consumer: options.consumer }, "durable messages are dealt with again");
  } catch (error) {
    if (notice.isNews(error))
      log.warn(
        { err: error, consumer: options.consumer, messages: batch.length },
        "durable messages were not dealt with; they come again",
      );
    for (const message of batch) message.nak(RETRY_MS);
  }
}
