import { type SpanBatch, type SpanRecord, spansSubject } from "#protocol/bus/span-stream";
import type { Bus } from "../bus/bus.js";
import type { Clock } from "../clock.js";
import type { Config } from "../config/config.js";
import type { FinishedSpan, Tracing } from "./span.js";

/** How long spans gather before they are sent together. */
export const GATHER_MS = 500;
/** Spans held while the bus is away; the newest are dropped past it. */
export const MAX_HELD_SPANS = 8192;
/** Spans in one message. */
const BATCH = 256;
const CLOSE_MS = 2000;

/** Whether spans go to the analytics engine. */
export function spansAreStored(config: Pick<Config, "PARLEY_SPANS" | "CLICKHOUSE_URL">): boolean {
  return config.PARLEY_SPANS === "on" || (config.PARLEY_SPANS === "auto" && config.CLICKHOUSE_URL !== null);
}

export interface KeepSpansOptions {
  /** A connection of the spans' own, under way: what requests wait for is never behind them. */
  connecting: Promise<Bus>;
  role: string;
  memberId: string;
  clock: Clock;
  /** Called with the number of spans that found no room. */
  onDropped: (count: number) => void;
}

/**
 * Publishes spans for the analytics engine, in batches. Recording one is putting it into a list that is bounded: the
 * bus may be slow or away, and no request waits for it.
 */
export function storeSpans(options: KeepSpansOptions): Tracing {
  const { connecting, role, memberId, clock, onDropped } = options;
  let held: SpanRecord[] = [];
  let bus: Bus | null = null;
  let cancelTimer: (() => void) | null = null;
  const send = (): void => {
    if (bus === null || !bus.isConnected()) return;
    for (let first = 0; first < held.length; first += BATCH) {
      bus.publish(spansSubject, { role, memberId, spans: held.slice(first, first + BATCH) } satisfies SpanBatch);
    }
    held = [];
  };
  const gather = (): void => {
    cancelTimer ??= clock.after(GATHER_MS, () => {
      cancelTimer = null;
      send();
      if (held.length > 0) gather();
    });
  };
  // A connection that never stands is the role's own trouble, and said there.
  const connected = connecting.then(
    (opened) => {
      bus = opened;
      send();
    },
    () => undefined,
  );
  return {
    enabled: true,
    record(span) {
      if (!span.context.sampled) return;
      if (held.length >= MAX_HELD_SPANS) {
        onDropped(1);
        return;
      }
      held.push(recordOf(span));
      gather();
    },
    async close() {
      cancelTimer?.();
      const last = connected.then(async () => {
        send();
        await bus?.close();
      });
      await Promise.race([last, new Promise<void>((resolve) => clock.after(CLOSE_MS, resolve))]);
    },
  };
}

function recordOf({ name, kind, context, startMs, endMs, failed, attributes }: FinishedSpan): SpanRecord {
  const { traceId, spanId, parentSpanId = null } = context;
  return {
    traceId,
    spanId,
    parentSpanId,
    name,
    kind,
    startMs,
    endMs,
    failed,
    attributes: { ...attributes } as Record<string, string | number>,
  };
}
