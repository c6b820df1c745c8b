import { ServiceError } from "#protocol/errors";
import { type Bucket, type Bus, LogConflict, type ObjectBucket, type SubjectLog, type Subscription } from "../bus.js";

/**
 * A bus inside the process for tests: messages arrive at once, in order, as they are. Interruption drops what is
 * published meanwhile.
 */
export class LocalBus implements Bus {
  readonly published: { subject: string; message: object }[] = [];
  readonly #handlers = new Map<string, Set<(message: never) => void>>();
  readonly #responders = new Map<string, (question: never) => Promise<object>>();
  readonly #reconnectCallbacks: (() => void)[] = [];
  readonly #logs = new Map<string, object[]>();
  readonly #buckets = new Map<string, Map<string, Uint8Array>>();
  #connected = true;

  publish(subject: string, message: object): void {
    if (!this.#connected) return;
    this.published.push({ subject, message });
    for (const handler of [...(this.#handlers.get(subject) ?? [])]) handler(message as never);
  }

  subscribe<T>(subject: string, handler: (message: T) => void): Subscription {
    const handlers = this.#handlers.get(subject) ?? new Set();
    this.#handlers.set(subject, handlers);
    handlers.add(handler);
    return { unsubscribe: () => handlers.delete(handler) };
  }

  async request<T>(subject: string, message: object, options: { timeoutMs: number; dependency: string }): Promise<T> {
    const responder = this.#responders.get(subject);
    if (responder === undefined || !this.#connected)
      throw new ServiceError("dependency_unavailable", { parameters: { dependency: options.dependency } });
    return (await responder(message as never)) as T;
  }

  isAnswered(subject: string): Promise<boolean> {
    return Promise.resolve(!this.#connected || this.#responders.has(subject));
  }

  respond<Q, A extends object>(subject: string, handler: (question: Q) => Promise<A>): Subscription {
    this.#responders.set(subject, handler);
    return { unsubscribe: () => this.#responders.delete(subject) };
  }

  onReconnect(callback: () => void): void {
    this.#reconnectCallbacks.push(callback);
  }

  isConnected(): boolean {
    return this.#connected;
  }

  consume(): never {
    throw new Error("the local bus keeps no messages");
  }

  subjectLog(): SubjectLog {
    const messagesOf = (subject: string): object[] => {
      if (!this.#connected) throw new ServiceError("dependency_unavailable", { parameters: { dependency: "The log" } });
      const messages = this.#logs.get(subject) ?? [];
      this.#logs.set(subject, messages);
      return messages;
    };
    return {
      read: async <T>(subject: string) =>
        messagesOf(subject).map((message, index) => ({ sequence: index + 1, message: message as T })),
      append: async (subject, message, after) => {
        const messages = messagesOf(subject);
        if (messages.length !== after) throw new LogConflict(subject);
        return messages.push(message);
      },
      purge: async (subject) => {
        messagesOf(subject).length = 0;
      },
    };
  }

  objects({ name }: Pick<Bucket, "name">): ObjectBucket {
    const objects = this.#buckets.get(name) ?? new Map<string, Uint8Array>();
    this.#buckets.set(name, objects);
    const connected = (): Map<string, Uint8Array> => {
      if (!this.#connected)
        throw new ServiceError("dependency_unavailable", { parameters: { dependency: "Object storage" } });
      return objects;
    };
    return {
      put: async (object, bytes) => void connected().set(object, bytes.slice()),
      get: async (object) => connected().get(object) ?? null,
      names: async () => [...connected().keys()],
      delete: async (object) => void connected().delete(object),
    };
  }

  flush = (): Promise<void> => Promise.resolve();

  close = (): Promise<void> => Promise.resolve();

  /** Cuts the bus off. */
  disconnect(): void {
    this.#connected = false;
  }

  reconnect(): void {
    this.#connected = true;
    for (const callback of this.#reconnectCallbacks) callback();
  }
}
