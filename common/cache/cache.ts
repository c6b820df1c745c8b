/** A shared store of short-lived text that may be lost at any time: nothing may depend on it for correctness. */
export interface Cache {
  /** Null when absent, expired, or when the store does not answer. */
  get(key: string): Promise<string | null>;
  /** Keeps a value for `ttlMs`. Resolves also when the store does not answer. */
  set(key: string, value: string, ttlMs: number): Promise<void>;
  /** Resolves also when the store does not answer. */
  delete(key: string): Promise<void>;
  close(): void;
}

/** The cache of a process that has no store. */
export const noCache: Cache = {
  get: () => Promise.resolve(null),
  set: () => Promise.resolve(),
  delete: () => Promise.resolve(),
  close: () => undefined,
};
