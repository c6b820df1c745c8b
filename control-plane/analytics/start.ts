import type { Bus, KeptSubscription } from "#common/bus/bus";
import type { Logger } from "#common/log";
import type { Records } from "../database/database.js";
import { type ControlWatch, noWatch } from "../watch/control-watch.js";
import { backfillUsage } from "./backfill.js";
import type { AnalyticsEngine } from "./engine.js";
import { ingestUsage } from "./ingestion.js";
import { openAnalytics } from "./open.js";
import type { SumUsage } from "./routes.js";
import { sumUsageInRecords } from "./usage-records.js";
import { sumUsageInEngine } from "./usage-table.js";

/** Usage in the analytics engine, where there is one. */
export interface Analytics {
  sumUsage: SumUsage;
  /** Takes no more and closes the engine. */
  stop(): Promise<void>;
}

/**
 * Starts analytics without holding up its caller. Until the engine is there and has what was booked before, and where there is none at
 * all, the records' database answers questions: it has the same usage. Meanwhile usage waits on the bus.
 */
export function startAnalytics(options: {
  bus: Bus;
  records: Records;
  log: Logger;
  /** Null is the embedded engine. */
  url: string | null;
  dataDirectory: string;
  watch?: ControlWatch;
}): Analytics {
  const { bus, records, log, url, dataDirectory, watch = noWatch } = options;
  const ending = new AbortController();
  let held: AnalyticsEngine | null = null;
  /** Set when it has everything that was booked before. */
  let opened: AnalyticsEngine | null = null;
  let ingestion: KeptSubscription | null = null;
  const open = async (): Promise<void> => {
    const engine = await openAnalytics({ url, dataDirectory, log, signal: ending.signal });
    if (engine === null) return;
    held = engine;
    const backfilled = await backfillUsage(engine, records, ending.signal);
    if (ending.signal.aborted) return;
    opened = engine;
    ingestion = ingestUsage({ bus, engine, log, watch });
    log.info({ engine: engine.name, backfilled }, "usage goes to the analytics engine");
  };
  const opening = open().catch((error: unknown) => log.error({ err: error }, "analytics did not start; usage waits on the bus until the next start"));
  return {
    sumUsage: async (query) => {
      if (opened !== null) return await sumUsageInEngine(opened, query);
      return await sumUsageInRecords(records, query);
    },
    stop: async () => {
      ending.abort();
      await opening;
      await ingestion?.stop();
      await held?.close();
    },
  };
}
