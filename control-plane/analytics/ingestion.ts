import type { UsageRecord } from "#protocol/bus/control";
import { usageStream } from "#protocol/bus/usage-stream";
import type { Bus, DurableSubscription } from "#common/bus/bus";
import type { Logger } from "#common/log";
import { usageRecord } from "../accounts/usage.js";
import type { ControlTelemetry } from "../telemetry/control-telemetry.js";
import type { AnalyticsEngine } from "./engine.js";
import { insertUsage } from "./usage-table.js";

/** ClickHouse likes few, large inserts. */
const BATCH = 1000;
const LINGER_MS = 500;

/**
 * Takes usage off the bus into the analytics engine. What the engine could not take stays on the bus and comes
 * again; what comes again counts once.
 */
export function ingestUsage(options: {
  bus: Bus;
  engine: AnalyticsEngine;
  log: Logger;
  telemetry: ControlTelemetry;
  lingerMs?: number;
}): DurableSubscription {
  const { bus, engine, log, telemetry } = options;
  let waiting = 0;
  telemetry.analyticsWaiting(() => waiting);
  const consumer = {
    stream: usageStream,
    consumer: "analytics",
    batch: BATCH,
    lingerMs: options.lingerMs ?? LINGER_MS,
  };
  return bus.consume<unknown>(consumer, async (messages, pending) => {
    waiting = pending + messages.length;
    const records = messages.flatMap((message): UsageRecord[] => {
      const parsed = usageRecord.safeParse(message);
      if (!parsed.success)
        log.error(
          { problems: parsed.error.issues.map((issue) => issue.path.join(".")) },
          "usage that cannot be read was dropped",
        );
      return parsed.success ? [parsed.data] : [];
    });
    await insertUsage(engine, records);
    telemetry.analyticsRows(records.length);
    waiting = pending;
  });
}
