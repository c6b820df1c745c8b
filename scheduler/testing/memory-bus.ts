import type { Bus, Subscription } from "#common/bus/bus";
import { decodeMsgpack, encodeMsgpack } from "#protocol/msgpack";

/**
 * Publish and subscribe within a test, through the real codec. A throwing handler fails the test instead of being
 * logged.
 */
export class MemoryBus implements Bus {
  readonly published: { subject: string; message: unknown }[] = [];
  readonly #handlers = new Map<string, Set<(message: never) => void>>();
  readonly #reconnectCallbacks: (() => void)[] = [];
  #connected = true;

  publish(subject: string, message: object): void {
    const bytes = encodeMsgpack(message);
    this.published.push({ subject, message: decodeMsgpack(bytes) });
    for (const handler of this.#handlers.get(subject) ?? []) handler(decodeMsgpack(bytes) as never);
  }

  subscribe<T>(subject: string, handler: (message: T) => void): Subscription {
    const handlers = this.#handlers.get(subject) ?? new Set();
    this.#handlers.set(subject, handlers.add(handler as (message: never) => void));
    return { unsubscribe: () => handlers.delete(handler as (message: never) => void) };
  }

  request<T>(): Promise<T> {
    return Promise.reject(new RangeError("nobody answers on this bus"));
  }

  isAnswered(): Promise<boolean> {
    return Promise.reject(new RangeError("nobody answers on this bus"));
  }

  respond(): Subscription {
    throw new RangeError("this bus carries no requests");
  }

  consume(): never {
    throw new RangeError("this bus keeps no messages");
  }

  objects(): never {
    throw new RangeError("this bus carries no objects");
  }

  subjectLog(): never {
    throw new RangeError("this bus keeps no log");
  }

  onReconnect(callback: () => void): void {
    this.#reconnectCallbacks.push(callback);
  }

  isConnected(): boolean {
    return this.#connected;
  }

  disconnect(): void {
    this.#connected = false;
  }

  reconnect(): void {
    this.#connected = true;
    for (const callback of this.#reconnectCallbacks) callback();
  }

  flush(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** Messages published on a subject so far. */
  on<T>(subject: string): T[] {
    return this.published.filter((one) => one.subject === subject).map((one) => one.message as T);
  }
}
