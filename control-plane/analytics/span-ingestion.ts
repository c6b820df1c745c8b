import { type StoredSpan, spanStream } from "#protocol/bus/span-stream";
import type { Bus, DurableSubscription } from "#common/bus/bus";
import type { Logger } from "#common/log";
import type { ControlTelemetry } from "../telemetry/control-telemetry.js";
import type { AnalyticsEngine } from "./engine.js";
import { insertSpans, spanBatch } from "./span-table.js";

/** Messages taken at once; each holds up to some hundreds of spans. */
const BATCH = 50;
const LINGER_MS = 500;

/**
 * Takes spans off the bus into the analytics engine, as `ingestUsage` takes usage: what the engine could not take
 * comes again, and what comes again counts once.
 */
export function ingestSpans(options: {
  bus: Bus;
  engine: AnalyticsEngine;
  log: Logger;
  telemetry: ControlTelemetry;
  lingerMs?: number;
}): DurableSubscription {
  const { bus, engine, log, telemetry } = options;
  const consumer = {
    stream: spanStream,
    consumer: "analytics-spans",
    batch: BATCH,
    lingerMs: options.lingerMs ?? LINGER_MS,
  };
  return bus.consume<unknown>(consumer, async (messages) => {
    const spans = messages.flatMap((message): StoredSpan[] => {
      const parsed = spanBatch.safeParse(message);
      if (!parsed.success) {
        log.error(
          { problems: parsed.error.issues.map((issue) => issue.path.join(".")) },
          "spans that cannot be read were dropped",
        );
        return [];
      }
      const { role, memberId } = parsed.data;
      return parsed.data.spans.map((span) => ({ ...span, role, memberId }));
    });
    await insertSpans(engine, spans);
    telemetry.analyticsSpans(spans.length);
  });
}
