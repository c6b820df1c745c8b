import { Redis } from "ioredis";
import type { Logger } from "../log.js";
import type { Cache } from "./cache.js";

/** Longest that a caller waits for the store: a cache slower than what it saves is no use. */
const COMMAND_TIMEOUT_MS = 100;

const RETRY_MS = 500;

/**
 * A cache in Redis. A store that is down or slow is a miss, said once in the log until it answers again; reconnecting
 * goes on for ever. Deletions that Redis did not receive are lost: keep lifetimes short.
 */
export function connectRedis(url: string, log: Logger): Cache {
  const redis = new Redis(url, {
    commandTimeout: COMMAND_TIMEOUT_MS,
    // Commands fail at once while disconnected instead of waiting for a connection.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: () => RETRY_MS,
  });
  let isDown = false;
  const reportDown = (error: unknown): void => {
    if (isDown) return;
    isDown = true;
    log.warn({ err: error }, "Redis does not answer; going on without the shared cache");
  };
  redis.on("error", reportDown);
  redis.on("ready", () => {
    if (isDown) log.info("Redis answers again");
    isDown = false;
  });
  const attempt = async <T>(command: () => Promise<T>, fallback: T): Promise<T> => {
    try {
      return await command();
    } catch (error) {
      reportDown(error);
      return fallback;
    }
  };
  return {
    get: (key) => attempt(() => redis.get(key), null),
    set: async (key, value, ttlMs) => {
      await attempt<unknown>(() => redis.set(key, value, "PX", Math.max(1, Math.ceil(ttlMs))), null);
    },
    count: (key, ttlMs) =>
      attempt(async () => {
        const results = await redis
          .multi()
          .incr(key)
          .pexpire(key, Math.max(1, Math.ceil(ttlMs)))
          .exec();
        const [error, count] = results?.[0] ?? [null, null];
        if (error !== null) throw error;
        return typeof count === "number" ? count : null;
      }, null),
    delete: async (key) => {
      await attempt<unknown>(() => redis.del(key), null);
    },
    close: () => redis.disconnect(),
  };
}
