import { z } from "zod";

/** Which requests have a trace of this id: 32 lower-case hex characters, as request ids are. */
export const traceIdPattern = /^[0-9a-f]{32}$/;

/** A piece of work on a request. */
const traceSpan = z.object({
  span_id: z.string(),
  /** The span that it is part of; null for those that are part of none of this answer. */
  parent_span_id: z.string().nullable(),
  name: z.string(),
  /** Which part of the cluster did it: edge, control-plane, scheduler or worker. */
  role: z.string(),
  /** Milliseconds from the beginning of the trace. */
  start_ms: z.number(),
  duration_ms: z.number(),
  failed: z.boolean(),
  /** Names and counts: no text, no key. */
  attributes: z.record(z.string(), z.string()),
});
export type TraceSpan = z.infer<typeof traceSpan>;

/** Answer of `GET /v1/traces/{trace_id}`: what was done for a request, in the order in which it began. */
export const traceReport = z.object({
  trace_id: z.string(),
  started_at: z.iso.datetime(),
  /** From the beginning of the first span to the end of the last one. */
  duration_ms: z.number(),
  spans: z.array(traceSpan),
  /** True when there are more spans than the answer holds. */
  truncated: z.boolean(),
});
export type TraceReport = z.infer<typeof traceReport>;
