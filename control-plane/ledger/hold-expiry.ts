import type { Bus } from "#common/bus/bus";
import type { Clock } from "#common/clock";
import type { Logger } from "#common/log";
import { purgeKeys } from "../accounts/forget-keys.js";
import type { Db } from "../database/database.js";
import { expireHolds } from "./holds.js";

/** How late an expired hold may return. */
export const EXPIRY_INTERVAL_MS = 60_000;

export interface HoldExpiryOptions {
  db: Db;
  bus: Pick<Bus, "publish">;
  clock: Clock;
  log: Logger;
  /** Wall-clock time. */
  now: () => Date;
}

/**
 * Looks for expired holds at once and every minute from then on, until it is stopped. What one look could not do, the
 * next one does.
 */
export function startHoldExpiry(options: HoldExpiryOptions): { stop: () => void } {
  const { db, bus, clock, log, now } = options;
  let stopped = false;
  let cancel: () => void = () => undefined;
  const look = async (): Promise<void> => {
    try {
      const { revived, failures } = await expireHolds(db, now());
      if (revived.length > 0) await purgeKeys(bus, db, revived);
      if (failures.length > 0) throw failures[0];
    } catch (error) {
      // The database's own error: drizzle's wrapper quotes the query's values.
      if (!stopped)
        log.warn(
          { err: error instanceof Error ? (error.cause ?? error) : error },
          "expired holds could not be given back yet",
        );
    }
    if (!stopped) cancel = clock.after(EXPIRY_INTERVAL_MS, () => void look());
  };
  void look();
  return {
    stop: () => {
      stopped = true;
      cancel();
    },
  };
}
