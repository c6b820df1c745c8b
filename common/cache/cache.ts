/** A shared store of short-lived text that may be lost at any time: nothing may depend on it for correctness. */
export interface Cache {
  /** Null when absent, expired, or when the store does not answer. */
  get(key: string): Promise<string | null>;
  /** Keeps a value for `ttlMs`. Resolves also when the store does not answer. */
  set(key: string, value: string, ttlMs: number): Promise<void>;
  /**
   * Counts one more of a key, which is forgotten `ttlMs` after it was last counted; gives how many there are now, or
   * null when the store does not answer.
   */
  count(key: string, ttlMs: number): Promise<number | null>;
  /** Resolves also when the store does not answer. */
  delete(key: string): Promise<void>;
  close(): void;
}

/** The cache of a process that has no store. */
export const noCache: Cache = {
  get: () => Promise.resolve(null),
  set: () => Promise.resolve(),
  count: () => Promise.resolve(null),
  delete: () => Promise.resolve(),
  close: () => undefined,
};
