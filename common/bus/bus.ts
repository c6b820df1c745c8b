/** How roles talk. Messages are plain data, MessagePack on the wire; their types and subjects are in `protocol/bus`. */
export interface Bus {
  /** Sends without waiting; delivery is at most once. */
  publish(subject: string, message: object): void;
  /**
   * Hands every message to `handler`, in order. With `queue`, each message goes to one member of that group.
   * A handler that throws is logged and the subscription goes on. Byte arrays in a message belong to the handler.
   */
  subscribe<T>(subject: string, handler: (message: T) => void, options?: { queue?: string }): Subscription;
  /** Asks and waits for one answer. Throws `dependency_unavailable` when nobody answers within `timeoutMs`. */
  request<T>(subject: string, message: object, options: { timeoutMs: number; dependency: string }): Promise<T>;
  /**
   * Whether somebody takes requests on a subject. False only where nobody certainly does, which a server knows as soon
   * as the last process that did is gone; true also where it cannot be told.
   */
  isAnswered(subject: string): Promise<boolean>;
  /** Answers requests; a thrown error must be turned into a reply by `handler` itself. */
  respond<Q, A extends object>(
    subject: string,
    handler: (question: Q) => Promise<A>,
    options?: { queue?: string },
  ): Subscription;
  /**
   * Hands messages that are stored on the server (JetStream) to `handler`, in batches; each batch is done with when the
   * promise resolves, and comes again when it rejects. Members with the same consumer name share the messages; each
   * name gets all of them, at least once.
   */
  consume<T>(options: ConsumeOptions, handler: DurableHandler<T>): DurableSubscription;
  /** The messages of a durable stream by subject, for subjects that have one writer at a time. */
  subjectLog(stream: DurableStream): SubjectLog;
  /** Called after the connection was lost and is back: messages in between are gone. */
  onReconnect(callback: () => void): void;
  /** False while the connection is lost. */
  isConnected(): boolean;
  /** A bucket of durable objects, created when it is first used. */
  objects(bucket: Bucket): ObjectBucket;
  /** Resolves when everything published so far has reached the server. */
  flush(): Promise<void>;
  /** Sends what is pending, ends all subscriptions and disconnects. */
  close(): Promise<void>;
}

export interface Subscription {
  unsubscribe(): void;
}

/** Messages of some subjects, stored for a while whether or not anybody consumes them. */
export interface DurableStream {
  name: string;
  subjects: string[];
  maxAgeMs: number;
  /** Past it the oldest go. */
  maxBytes: number;
}

export interface ConsumeOptions {
  stream: DurableStream;
  /** Remembered by the server: a consumer of this name goes on where the last one was. */
  consumer: string;
  /** Most messages that `handler` is given at once. */
  batch: number;
  /** How long to wait for a batch to fill. */
  lingerMs: number;
}

/**
 * `pending` are those on the server that no consumer of the name has taken yet; `places` says of each message where it
 * is stored.
 */
export type DurableHandler<T> = (messages: T[], pending: number, places: StoredPlace[]) => Promise<void>;

/** Where a message is stored: the same however often it is handed out. */
export interface StoredPlace {
  subject: string;
  /** Counts up over the whole stream. */
  sequence: number;
}

export interface DurableSubscription {
  /** Resolves when the stream exists: what is published from then on is stored. */
  ready: Promise<void>;
  /**
   * Resolves once everything that was stored when this was called is dealt with. Throws `dependency_unavailable` when
   * that takes longer than `withinMs`.
   */
  caughtUp(withinMs: number): Promise<void>;
  /** Takes no more; resolves when the batch in hand is dealt with. */
  stop(): Promise<void>;
}

/** Stored messages by subject, each written behind the last one that its writer knows of. */
export interface SubjectLog {
  /** The messages of a subject, oldest first. Throws `dependency_unavailable`. */
  read<T>(subject: string): Promise<{ sequence: number; message: T }[]>;
  /**
   * Stores a message where the subject's last one has the sequence `after`, 0 for none, and gives the new one's. Throws
   * LogConflict where somebody else has written, and `dependency_unavailable`, after which nobody knows whether it was
   * stored.
   */
  append(subject: string, message: object, after: number): Promise<number>;
  /** Deletes the messages of a subject. Whoever writes behind one of them fails. Throws `dependency_unavailable`. */
  purge(subject: string): Promise<void>;
}

/** Somebody else has written behind the message that this writer took for the last one. */
export class LogConflict extends Error {
  override readonly name = "LogConflict";

  constructor(subject: string) {
    super(`another writer has written to ${subject}`);
  }
}

/** A bucket of objects. */
export interface Bucket {
  name: string;
  /**
   * An object older than this is deleted, whoever put it there and forgot it; 0 keeps objects until somebody deletes
   * them.
   */
  maxAgeMs: number;
}

/** Named byte objects of any size (JetStream object store). */
export interface ObjectBucket {
  put(name: string, bytes: Uint8Array): Promise<void>;
  /** Null when there is no such object. */
  get(name: string): Promise<Uint8Array | null>;
  /** Names of all objects, in no order. */
  names(): Promise<string[]>;
  /** Deleting what is not there is not an error. */
  delete(name: string): Promise<void>;
}
