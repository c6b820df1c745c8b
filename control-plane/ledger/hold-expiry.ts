import type { Bus } from "#common/bus/bus";
import type { Clock } from "#common/clock";
import type { Logger } from "#common/log";
import { purgeKeys } from "../accounts/forget-keys.js";
import type { Db } from "../database/database.js";
import { repeatWork } from "../repeated-work.js";
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
export function startHoldExpiry({ db, bus, clock, log, now }: HoldExpiryOptions): { stop(): void } {
  const work = async (): Promise<number> => {
    const { revived, failures } = await expireHolds(db, now());
    if (revived.length > 0) await purgeKeys(bus, db, revived);
    if (failures.length > 0) throw failures[0];
    return EXPIRY_INTERVAL_MS;
  };
  const problem = "expired holds could not be given back yet";
  return repeatWork({ clock, log, problem, retryMs: EXPIRY_INTERVAL_MS, work });
}
