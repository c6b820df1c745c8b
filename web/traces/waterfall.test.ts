import { describe, expect, it } from "vitest";
import type { TraceSpan } from "#protocol/traces";
import { millisecondsText, traceIdIn, waterfallOf } from "./waterfall.js";

function span(id: string, parent: string | null, start_ms: number, change: Partial<TraceSpan> = {}): TraceSpan {
  const work = { name: id, role: "edge", duration_ms: 10, failed: false, attributes: {} };
  return { span_id: id, parent_span_id: parent, start_ms, ...work, ...change };
}

describe("the waterfall of a trace", () => {
  it("has each span below the one that it is part of, as deep as it is inside", () => {
    const spans = [span("a", null, 0), span("b", "a", 1), span("c", "a", 2), span("d", "b", 3), span("e", null, 4)];
    expect(waterfallOf({ spans, duration_ms: 14 }).map((row) => [row.span.span_id, row.depth])).toEqual([
      ["a", 0],
      ["b", 1],
      ["d", 2],
      ["c", 1],
      ["e", 0],
    ]);
  });

  it("shows each span once, also where they name each other as parents", () => {
    const rows = waterfallOf({ spans: [span("a", "b", 0), span("b", "a", 1)], duration_ms: 11 });
    expect(rows.map((row) => row.span.span_id)).toEqual(["a", "b"]);
  });

  it("has bars where the work was, none too short to see and none beyond the end", () => {
    const spans = [span("a", null, 0, { duration_ms: 200 }), span("b", "a", 50, { duration_ms: 100 })];
    const short = span("c", "a", 200, { duration_ms: 0 });
    expect(waterfallOf({ spans: [...spans, short], duration_ms: 200 }).map(({ from, width }) => [from, width])).toEqual(
      [
        [0, 1],
        [0.25, 0.5],
        [0.996, 0.004],
      ],
    );
    const instant = waterfallOf({ spans: [span("a", null, 0, { duration_ms: 0 })], duration_ms: 0 });
    expect(instant.map(({ from, width }) => [from, width])).toEqual([[0, 1]]);
  });

  it("says what is known of a span in words, but not what its name says", () => {
    const attributes = {
      "http.request.method": "POST",
      "http.route": "/v1/tts",
      "http.response.status_code": "200",
      "parley.first_audio_ms": "51.62946400000146",
    };
    const [row] = waterfallOf({ spans: [span("a", null, 0, { attributes })], duration_ms: 10 });
    expect(row?.facts).toBe("status 200, first audio 51.6 ms");
  });
});

describe("what stands in a trace", () => {
  it("is as exact as it matters", () => {
    expect([0.123, 12.34, 99.96, 1234.5].map(millisecondsText)).toEqual(["0.12 ms", "12.3 ms", "100.0 ms", "1,235 ms"]);
  });
});

describe("the id of a request", () => {
  it("is found in what is pasted", () => {
    const id = "0af7651916cd43dd8448eb211c80319c";
    for (const text of [id, ` ${id}\n`, id.toUpperCase(), `00-${id}-b7ad6b7169203331-01`, `Request id ${id}`])
      expect([text, traceIdIn(text)]).toEqual([text, id]);
    for (const text of ["", "abc", `${id}0`, "g".repeat(32)]) expect([text, traceIdIn(text)]).toEqual([text, null]);
  });
});
