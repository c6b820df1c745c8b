import type { Bus } from "../bus/bus.js";
import type { Clock } from "../clock.js";
import type { Logger } from "../log.js";
import { storeSpans } from "./stored-spans.js";
import { noTracing, toAll, type Tracing } from "./span.js";

export interface TracingOptions {
  /** OpenTelemetry collector, or null for none. */
  endpoint: string | null;
  role: string;
  id: string;
  log: Logger;
  /** Where spans are stored too, or null for nowhere. */
  store: { connect: () => Promise<Bus>; clock: Clock; onDropped: (count: number) => void } | null;
}

/**
 * Gives a role its tracing. Without an endpoint OpenTelemetry is not even loaded, and with nobody to tell there are no
 * spans at all.
 */
export async function openTracing({ endpoint, role, id, log, store }: TracingOptions): Promise<Tracing> {
  const collected = endpoint === null ? noTracing : (await import("./otlp.js")).startOtlp({ endpoint, role, id, log });
  if (store === null) return collected;
  const { connect, clock, onDropped } = store;
  return toAll([collected, storeSpans({ connecting: connect(), role, memberId: id, clock, onDropped })]);
}
