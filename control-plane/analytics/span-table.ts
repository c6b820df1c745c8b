import { z } from "zod";
import type { StoredSpan } from "#protocol/bus/span-stream";
import { sha256Hex } from "#common/identifier";
import { spanAttributeNames } from "#common/tracing/span";
import type { AnalyticsEngine } from "./engine.js";

/** Spans of one answer at most. */
const MAX_SPANS = 10_000;

const attributeNames = new Set<string>(spanAttributeNames);
const attributeValue = z.union([z.string().max(200), z.number()]);

/**
 * Spans as they come off the bus. Attributes that are not on the list are left out: what nobody thought of has no place
 * in the store.
 */
export const spanBatch = z.object({
  role: z.string().max(32),
  memberId: z.string().max(128),
  spans: z
    .array(
      z.object({
        traceId: z.string().regex(/^[0-9a-f]{32}$/),
        spanId: z.string().regex(/^[0-9a-f]{16}$/),
        parentSpanId: z
          .string()
          .regex(/^[0-9a-f]{16}$/)
          .nullable(),
        name: z.string().max(200),
        kind: z.enum(["server", "internal", "consumer"]),
        startMs: z.number().min(0).max(4e12),
        endMs: z.number().min(0).max(4e12),
        failed: z.boolean(),
        attributes: z
          .record(z.string(), z.unknown())
          .transform((given) => Object.fromEntries(Object.entries(given).filter(([name]) => attributeNames.has(name))))
          .pipe(z.record(z.string(), attributeValue)),
      }),
    )
    .max(10_000),
});

/** Puts spans into the analytics engine. Those that it has already change nothing that a reader sees. */
export async function insertSpans(engine: AnalyticsEngine, spans: readonly StoredSpan[]): Promise<void> {
  if (spans.length === 0) return;
  const token = sha256Hex(spans.map(({ traceId, spanId }) => `${traceId} ${spanId}`).join("\n"));
  await engine.insert("parley_spans", spans.map(jsonOf), token);
}

function jsonOf(span: StoredSpan): object {
  const startUs = Math.round(span.startMs * 1000);
  const seconds = new Date(Math.floor(startUs / 1000)).toISOString().slice(0, 19).replace("T", " ");
  return {
    trace_id: span.traceId,
    span_id: span.spanId,
    parent_span_id: span.parentSpanId ?? "",
    name: span.name,
    kind: span.kind,
    role: span.role,
    member_id: span.memberId,
    started_at: `${seconds}.${String(startUs % 1_000_000).padStart(6, "0")}`,
    duration_us: Math.max(0, Math.round((span.endMs - span.startMs) * 1000)),
    failed: span.failed,
    attributes: Object.fromEntries(Object.entries(span.attributes).map(([name, value]) => [name, String(value)])),
  };
}

const row = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string(),
  name: z.string(),
  kind: z.enum(["server", "internal", "consumer"]),
  role: z.string(),
  memberId: z.string(),
  startUs: z.coerce.number(),
  durationUs: z.coerce.number(),
  failed: z.boolean(),
  attributes: z.record(z.string(), z.string()),
});

/** The spans of a trace, in the order in which they began. Values of attributes come as text. */
export async function readTrace(engine: AnalyticsEngine, traceId: string): Promise<StoredSpan[]> {
  const rows = await engine.query(
    `SELECT toString(trace_id) AS traceId, toString(span_id) AS spanId, parent_span_id AS parentSpanId, toString(name) AS name,
      toString(kind) AS kind, toString(role) AS role, member_id AS memberId, toUnixTimestamp64Micro(started_at) AS startUs,
      duration_us AS durationUs, failed, CAST(attributes, 'Map(String, String)') AS attributes
    FROM parley_spans FINAL
    WHERE trace_id = {trace:String}
    ORDER BY startUs, spanId
    LIMIT ${MAX_SPANS}`,
    { trace: traceId },
  );
  return z
    .array(row)
    .parse(rows)
    .map(({ startUs, durationUs, parentSpanId, ...span }) => ({
      ...span,
      parentSpanId: parentSpanId === "" ? null : parentSpanId,
      startMs: startUs / 1000,
      endMs: (startUs + durationUs) / 1000,
    }));
}
