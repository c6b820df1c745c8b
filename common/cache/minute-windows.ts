import type { Cache } from "./cache.js";

const MINUTE_MS = 60_000;

/** Keys that one process counts by itself at most; past it they are counted anew. */
const MAX_OWN_KEYS = 10_000;

export interface MinuteWindowsOptions {
  cache: Pick<Cache, "count">;
  /** Wall-clock time: windows of all processes begin together. */
  now: () => Date;
}

/** The outcome of one attempt. */
export type WindowVerdict = { isAllowed: true } | { isAllowed: false; retryAfterMs: number };

/**
 * Counts attempts in fixed windows of a minute, over all processes that share a cache. While the cache does not answer,
 * each process counts by itself: the limit then holds for each of them.
 */
export class MinuteWindows {
  readonly #options: MinuteWindowsOptions;
  #own = new Map<string, number>();
  #ownWindow = -1;

  constructor(options: MinuteWindowsOptions) {
    this.#options = options;
  }

  /** Counts an attempt; of the first `most` in the current minute each is allowed. A limit of 0 is none. */
  async take(key: string, most: number): Promise<WindowVerdict> {
    if (most === 0) return { isAllowed: true };
    const nowMs = this.#options.now().getTime();
    const window = Math.floor(nowMs / MINUTE_MS);
    const shared = await this.#options.cache.count(`parley:window:${key}:${window}`, MINUTE_MS);
    const count = Math.max(shared ?? 0, this.#countOwn(key, window, shared === null));
    if (count <= most) return { isAllowed: true };
    return { isAllowed: false, retryAfterMs: (window + 1) * MINUTE_MS - nowMs };
  }

  /** What this process counted of a key in the window while the cache was away. */
  #countOwn(key: string, window: number, isMissing: boolean): number {
    if (window !== this.#ownWindow || this.#own.size > MAX_OWN_KEYS) {
      this.#own = new Map();
      this.#ownWindow = window;
    }
    const count = (this.#own.get(key) ?? 0) + (isMissing ? 1 : 0);
    if (count > 0) this.#own.set(key, count);
    return count;
  }
}
