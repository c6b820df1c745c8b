import type { Metrics } from "#common/metrics/registry";
import { spanNowMs, type Tracing } from "#common/tracing/span";
import { childOf } from "#common/tracing/traceparent";
import type { ForwardedRequest, ForwardedResponse, Reply } from "#protocol/bus/control";
import { errorCatalogue } from "#protocol/errors";
import { createRecordingTelemetry, noRecordingTelemetry, type RecordingTelemetry } from "../recordings/telemetry.js";

export type ControlRequestKind =
  | "http"
  | "verify-key"
  | "resolve-voices"
  | "keys"
  | "teams"
  | "credit"
  | "trace"
  | "search-knowledge"
  | "open-recording"
  | "snapshot"
  | "console-sessions"
  | "take-test-run"
  | "finish-test-run"
  | "take-analysis"
  | "finish-analysis";
export type UsageOutcome = "settled" | "repeated" | "dropped";

/** Sees everything that the control plane answers and settles. */
export interface ControlTelemetry {
  /** `question` as it came: one with a `traceparent` becomes a span of that trace. */
  reply<T>(kind: ControlRequestKind, question: unknown, work: () => Promise<Reply<T>>): Promise<Reply<T>>;
  /** `pattern` is the route's, or `unmatched`. */
  forwarded(
    request: ForwardedRequest,
    pattern: string,
    work: () => Promise<ForwardedResponse>,
  ): Promise<ForwardedResponse>;
  usage(outcome: UsageOutcome): void;
  /** Reports how many usage records wait, whenever a scraper asks. */
  usageWaiting(read: () => number): void;
  /** Usage records that the analytics engine took. */
  analyticsRows(count: number): void;
  analyticsWaiting(read: () => number): void;
  /** Spans that it took. */
  analyticsSpans(count: number): void;
  recordings: RecordingTelemetry;
  /** A request to the S3 store was answered, or was not. */
  s3Request(method: string, outcome: "ok" | "failed"): void;
}

/** Watches nothing. */
export const noTelemetry: ControlTelemetry = {
  reply: (_kind, _question, work) => work(),
  forwarded: (_request, _pattern, work) => work(),
  usage: () => undefined,
  usageWaiting: () => undefined,
  analyticsRows: () => undefined,
  analyticsWaiting: () => undefined,
  analyticsSpans: () => undefined,
  recordings: noRecordingTelemetry,
  s3Request: () => undefined,
};

/** Opens the control plane's metrics and spans. */
export function openControlTelemetry(options: {
  metrics: Metrics;
  tracing: Tracing;
  isConnected: () => boolean;
}): ControlTelemetry {
  const { metrics, tracing } = options;
  metrics.gauge("parley_bus_connected", () => Number(options.isConnected()));
  const requests = metrics.counter("parley_control_requests_total");
  const seconds = metrics.histogram("parley_control_request_seconds");
  const settled = metrics.counter("parley_usage_settled_total");
  let analyticsWaiting = (): number => 0;
  const analyticsRows = metrics.counter("parley_analytics_rows_total");
  const analyticsSpans = metrics.counter("parley_analytics_spans_total");
  const s3Requests = metrics.counter("parley_object_store_requests_total");
  metrics.gauge("parley_analytics_waiting", () => analyticsWaiting());
  const count = (kind: ControlRequestKind, status: number, startMs: number): void => {
    requests({ kind, outcome: status < 400 ? "ok" : status < 500 ? "refused" : "failed" });
    seconds({ kind }, (spanNowMs() - startMs) / 1000);
  };
  return {
    reply: async (kind, question, work) => {
      const startMs = spanNowMs();
      const reply = await work();
      const status = reply.ok ? 200 : errorCatalogue[reply.error.code].status;
      count(kind, status, startMs);
      if (tracing.enabled) recordReply(tracing, kind, question, status, startMs);
      return reply;
    },
    forwarded: async (request, pattern, work) => {
      const startMs = spanNowMs();
      const response = await work();
      count("http", response.status, startMs);
      if (tracing.enabled) recordForwarded(tracing, request, pattern, response.status, startMs);
      return response;
    },
    usage: (outcome) => settled({ outcome }),
    usageWaiting: (read) => metrics.gauge("parley_usage_waiting", read),
    analyticsRows: (rows) => analyticsRows({}, rows),
    analyticsSpans: (spans) => analyticsSpans({}, spans),
    analyticsWaiting: (read) => {
      analyticsWaiting = read;
    },
    recordings: createRecordingTelemetry(metrics),
    s3Request: (method, outcome) => s3Requests({ method, outcome }),
  };
}

function recordReply(
  tracing: Tracing,
  kind: ControlRequestKind,
  question: unknown,
  status: number,
  startMs: number,
): void {
  const { traceparent } = (typeof question === "object" && question !== null ? question : {}) as {
    traceparent?: unknown;
  };
  const context = childOf(typeof traceparent === "string" ? traceparent : null);
  if (context === null) return;
  tracing.record({
    name: `control-plane ${kind}`,
    kind: "consumer",
    context,
    startMs,
    endMs: spanNowMs(),
    failed: status >= 500,
    attributes: {},
  });
}

function recordForwarded(
  tracing: Tracing,
  request: ForwardedRequest,
  pattern: string,
  status: number,
  startMs: number,
): void {
  const context = childOf(request.headers["traceparent"] ?? null);
  if (context === null) return;
  const attributes = {
    "http.request.method": request.method,
    "http.route": pattern,
    "http.response.status_code": status,
  };
  const name = `control-plane ${request.method} ${pattern}` as const;
  tracing.record({ name, kind: "consumer", context, startMs, endMs: spanNowMs(), failed: status >= 500, attributes });
}
