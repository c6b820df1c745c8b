import { describe, expect, it } from "vitest";
import type { StoredSpan } from "#protocol/bus/span-stream";
import { MAX_REPORTED_SPANS, reportTrace } from "./trace-report.js";

const traceId = "a".repeat(32);
const firstMs = Date.UTC(2026, 0, 31, 12);

function span(spanId: string, parentSpanId: string | null, change: Partial<StoredSpan> = {}): StoredSpan {
  const work = { name: "schedule chunk", kind: "consumer" as const, role: "scheduler", memberId: "scheduler-1" };
  return {
    ...work,
    traceId,
    spanId,
    parentSpanId,
    startMs: firstMs,
    endMs: firstMs + 5,
    failed: false,
    attributes: {},
    ...change,
  };
}

const request = (spanId: string, parentSpanId: string | null, team: string | null, startMs = firstMs): StoredSpan =>
  span(spanId, parentSpanId, {
    ...{ name: "HTTP POST /v1/tts", kind: "server", role: "edge", startMs, endMs: startMs + 20.0004 },
    attributes: { "http.route": "/v1/tts", ...(team === null ? {} : { "parley.team": team }) },
  });

const later = { startMs: firstMs + 2, endMs: firstMs + 3 };

const idsOf = (spans: readonly StoredSpan[], team: string): string[] | null =>
  reportTrace(traceId, spans, team)?.spans.map(({ span_id }) => span_id) ?? null;

describe("what a team sees of a trace", () => {
  it("is the request with all that was done for it, in its order and without whose it was", () => {
    const work = span("w", "s", {
      ...{ name: "speak chunk", role: "worker", startMs: firstMs + 3, endMs: firstMs + 27.5, failed: true },
      attributes: { "parley.worker": "worker-7", "parley.characters": 12, "parley.model": "s2-pro" },
    });
    expect(reportTrace(traceId, [work, request("h", "caller", "us"), span("s", "h")], "us")).toEqual({
      trace_id: traceId,
      started_at: "2026-01-31T12:00:00.000Z",
      duration_ms: 27.5,
      spans: [
        {
          ...{ span_id: "h", parent_span_id: null, name: "HTTP POST /v1/tts", role: "edge", start_ms: 0 },
          ...{ duration_ms: 20, failed: false, attributes: { "http.route": "/v1/tts" } },
        },
        {
          ...{ span_id: "s", parent_span_id: "h", name: "schedule chunk", role: "scheduler", start_ms: 0 },
          ...{ duration_ms: 5, failed: false, attributes: {} },
        },
        {
          ...{ span_id: "w", parent_span_id: "s", name: "speak chunk", role: "worker", start_ms: 3 },
          ...{ duration_ms: 24.5, failed: true, attributes: { "parley.characters": "12", "parley.model": "s2-pro" } },
        },
      ],
      truncated: false,
    });
  });

  it("is nothing of another team's, also where a request names that team's trace and span", () => {
    const spans = [
      request("h", null, "us"),
      span("s", "h"),
      request("g", "s", "them", firstMs + 1),
      span("t", "g", later),
    ];
    expect(idsOf(spans, "us")).toEqual(["h", "s"]);
    expect(idsOf(spans, "them")).toEqual(["g", "t"]);
    expect(idsOf(spans, "")).toBeNull();
  });

  it("is nothing of a request that showed no key, below one's own span too", () => {
    const spans = [request("h", null, "us"), request("g", "h", null, firstMs + 1), span("t", "g", later)];
    expect(idsOf(spans, "us")).toEqual(["h"]);
    expect(idsOf([request("g", null, null), span("t", "g")], "us")).toBeNull();
  });

  it("is nothing of what no request is known of, circles included", () => {
    expect(idsOf([span("s", "h"), span("t", null), span("u", "v"), span("v", "u")], "us")).toBeNull();
    expect(idsOf([], "us")).toBeNull();
  });

  it("is bounded, and says so", () => {
    const spans = Array.from({ length: MAX_REPORTED_SPANS }, (_, index) => span(`s${index}`, "h"));
    const report = reportTrace(traceId, [request("h", null, "us"), ...spans], "us");
    expect([report?.spans.length, report?.truncated]).toEqual([MAX_REPORTED_SPANS, true]);
  });
});
