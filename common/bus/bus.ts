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
  /** Answers requests; a thrown error must be turned into a reply by `handler` itself. */
  respond<Q, A extends object>(subject: string, handler: (question: Q) => Promise<A>, options?: { queue?: string }): Subscription;
  /** Called after the connection was lost and is back: messages in between are gone. */
  onReconnect(listener: () => void): void;
  /** False while the connection is lost. */
  isConnected(): boolean;
  /** A bucket of durable objects, created when it is first used. */
  objects(bucket: string): ObjectBucket;
  /** Resolves when everything published so far has reached the server. */
  flush(): Promise<void>;
  /** Sends what is pending, ends all subscriptions and disconnects. */
  close(): Promise<void>;
}

export interface Subscription {
  unsubscribe(): void;
}

/** Named byte objects of any size (JetStream object store). */
export interface ObjectBucket {
  put(name: string, bytes: Uint8Array): Promise<void>;
  /** Null when there is no such object. */
  get(name: string): Promise<Uint8Array | null>;
  /** Deleting what is not there is not an error. */
  delete(name: string): Promise<void>;
}
