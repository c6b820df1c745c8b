import type { StoredSpan } from "#protocol/bus/span-stream";
import { ServiceError } from "#protocol/errors";
import type { Bus, DurableSubscription } from "#common/bus/bus";
import type { Logger } from "#common/log";
import type { Db } from "../database/database.js";
import { type ControlTelemetry, noTelemetry } from "../telemetry/control-telemetry.js";
import { backfillUsage } from "./backfill.js";
import type { AnalyticsEngine } from "./engine.js";
import { ingestUsage } from "./ingestion.js";
import { openAnalytics } from "./open.js";
import type { SumUsage } from "./routes.js";
import { ingestSpans } from "./span-ingestion.js";
import { readTrace } from "./span-table.js";
import { sumUsageInRecords } from "./usage-records.js";
import { sumUsageInEngine } from "./usage-table.js";

/**
 * Gives the spans of a trace. Throws `traces_not_stored` where none are, and `dependency_unavailable` until the
 * analytics engine is there.
 */
export type ReadTrace = (traceId: string) => Promise<StoredSpan[]>;

/** Usage and spans in the analytics engine, where there is one. */
export interface Analytics {
  sumUsage: SumUsage;
  readTrace: ReadTrace;
  /** Takes no more and closes the engine. */
  stop(): Promise<void>;
}

/**
 * Starts analytics without holding up its caller. Until the engine is there and has what was booked before, and where
 * there is none at all, the records' database answers questions: it has the same usage. Meanwhile usage waits on the
 * bus.
 */
export function startAnalytics(options: {
  bus: Bus;
  db: Db;
  log: Logger;
  /** Null is the embedded engine. */
  url: string | null;
  dataDirectory: string;
  /** Whether spans are kept too. */
  keepsSpans?: boolean;
  telemetry?: ControlTelemetry;
}): Analytics {
  const { bus, db, log, url, dataDirectory, keepsSpans = false, telemetry = noTelemetry } = options;
  const ending = new AbortController();
  let held: AnalyticsEngine | null = null;
  /** Set when it has everything that was booked before. */
  let opened: AnalyticsEngine | null = null;
  /** Set once it is known that there is none. */
  let isWithout = false;
  const ingestions: DurableSubscription[] = [];
  const open = async (): Promise<void> => {
    const engine = await openAnalytics({ url, dataDirectory, log, signal: ending.signal });
    if (engine === null) {
      isWithout = true;
      return;
    }
    held = engine;
    const backfilled = await backfillUsage(engine, db, ending.signal);
    if (ending.signal.aborted) return;
    opened = engine;
    ingestions.push(ingestUsage({ bus, engine, log, telemetry }));
    if (keepsSpans) ingestions.push(ingestSpans({ bus, engine, log, telemetry }));
    log.info({ engine: engine.name, backfilled }, "usage goes to the analytics engine");
  };
  const opening = open().catch((error: unknown) =>
    log.error({ err: error }, "analytics did not start; usage waits on the bus until the next start"),
  );
  return {
    sumUsage: async (query) => {
      if (opened !== null) return await sumUsageInEngine(opened, query);
      return await sumUsageInRecords(db, query);
    },
    readTrace: async (traceId) => {
      if (!keepsSpans || isWithout) throw new ServiceError("traces_not_stored");
      if (opened === null)
        throw new ServiceError("dependency_unavailable", { parameters: { dependency: "The analytics engine" } });
      return await readTrace(opened, traceId);
    },
    stop: async () => {
      ending.abort();
      await opening;
      await Promise.all(ingestions.map((ingestion) => ingestion.stop()));
      await held?.close();
    },
  };
}
