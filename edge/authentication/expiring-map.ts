import type { Clock } from "#common/clock";

/** Most entries of each kind kept; strangers can make up refused keys, so these must not push out accepted ones. */
const MAX_ENTRIES = 10_000;

interface Entry<V> {
  value: V;
  untilMs: number;
}

/** A bounded map whose entries expire. The one unused for longest goes first. */
export class ExpiringMap<V> {
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry<V>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(key: string): V | null {
    const entry = this.#entries.get(key);
    if (entry === undefined) return null;
    this.#entries.delete(key);
    if (entry.untilMs <= this.#clock.nowMs()) return null;
    this.#entries.set(key, entry);
    return entry.value;
  }

  set(key: string, value: V, ttlMs: number): void {
    this.#entries.delete(key);
    if (ttlMs <= 0) return;
    this.#entries.set(key, { value, untilMs: this.#clock.nowMs() + ttlMs });
    if (this.#entries.size <= MAX_ENTRIES) return;
    const oldest = this.#entries.keys().next();
    if (oldest.done !== true) this.#entries.delete(oldest.value);
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }

  get size(): number {
    return this.#entries.size;
  }
}
