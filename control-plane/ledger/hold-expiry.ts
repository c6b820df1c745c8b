import type { Bus } from "#common/bus/bus";
import type { Clock } from "#common/clock";
import type { Logger } from "#common/log";
import { forgetKeys } from "../accounts/forget-keys.js";
import type { Records } from "../database/database.js";
import { expireHolds } from "./holds.js";

/** How late an expired hold may return. */
export const EXPIRY_INTERVAL_MS = 60_000;

/** Looks for expired holds now and then until it is stopped. What one look could not do, the next one does. */
export function startHoldExpiry(options: { records: Records; bus: Bus; clock: Clock; log: Logger; now: () => Date }): { stop: () => void } {
  const { records, bus, clock, log, now } = options;
  let stopped = false;
  let cancel: () => void = () => undefined;
  const look = async (): Promise<void> => {
    try {
      const revived = await expireHolds(records, now());
      if (revived.length > 0) await forgetKeys(bus, records, revived);
    } catch (error) {
      // The database's own error: drizzle's wrapper quotes the query's values.
      log.warn({ err: error instanceof Error ? (error.cause ?? error) : error }, "expired holds could not be given back yet");
    }
    if (!stopped) cancel = clock.after(EXPIRY_INTERVAL_MS, () => void look());
  };
  cancel = clock.after(EXPIRY_INTERVAL_MS, () => void look());
  return {
    stop: () => {
      stopped = true;
      cancel();
    },
  };
}
