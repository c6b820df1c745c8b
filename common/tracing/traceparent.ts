import { randomBytes } from "node:crypto";

/** A W3C trace context: which trace a request belongs to, and the span it came from. */
export interface TraceContext {
  /** 32 lower-case hex characters. */
  traceId: string;
  /** 16 lower-case hex characters. */
  spanId: string;
  sampled: boolean;
  /** The span that this one is part of; absent or null for the first of its trace. */
  parentSpanId?: string | null;
}

const pattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/**
 * Joins the caller's trace, or starts a new one when `header` is absent or invalid
 * (https://www.w3.org/TR/trace-context/ section 3.2): version ff, zero ids, upper case and trailing data under version
 * 00 are invalid. Never throws.
 */
export function joinTrace(header: string | undefined): TraceContext {
  return childOf(header ?? null) ?? { traceId: randomBytes(16).toString("hex"), spanId: newSpanId(), sampled: true };
}

/** A new span inside the one that `traceparent` names; null when that is absent or invalid. */
export function childOf(traceparent: string | null): TraceContext | null {
  const match = traceparent === null ? null : pattern.exec(traceparent);
  if (match === null) return null;
  const [, version = "", traceId = "", parentSpanId = "", flags = "", rest] = match;
  const valid =
    version !== "ff" &&
    !(version === "00" && rest !== undefined) &&
    !/^0+$/.test(traceId) &&
    !/^0+$/.test(parentSpanId);
  return valid ? { traceId, spanId: newSpanId(), sampled: (Number.parseInt(flags, 16) & 1) === 1, parentSpanId } : null;
}

function newSpanId(): string {
  return randomBytes(8).toString("hex");
}

/** The header form, for the next hop. */
export function formatTraceparent(context: TraceContext): string {
  return `00-${context.traceId}-${context.spanId}-${context.sampled ? "01" : "00"}`;
}
