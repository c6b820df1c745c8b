import type { TraceReport, TraceSpan } from "#protocol/traces";

/** A span as it stands in the waterfall. */
export interface WaterfallRow {
  span: TraceSpan;
  /** How many spans it is inside of. */
  depth: number;
  /** Where its bar begins and how long it is, of the whole trace: 0 to 1. */
  from: number;
  width: number;
  /** Its attributes in words, none that its name says already. */
  facts: string;
}

/** A bar that is shorter is not seen. */
const LEAST_WIDTH = 0.004;

/** Names of `http.*` stand in the span's name, but for the status. */
const attributeWords: Readonly<Record<string, string>> = {
  "http.response.status_code": "status",
  "http.request.method": "",
  "http.route": "",
};

/** The spans of a trace, each below the one that it is part of, siblings in the order in which they began. */
export function waterfallOf({
  spans,
  duration_ms: wholeMs,
}: Pick<TraceReport, "spans" | "duration_ms">): WaterfallRow[] {
  const children = new Map<string | null, TraceSpan[]>();
  for (const span of spans) children.set(span.parent_span_id, [...(children.get(span.parent_span_id) ?? []), span]);
  const rows: WaterfallRow[] = [];
  const shown = new Set<string>();
  const add = (first: TraceSpan): void => {
    const waiting = [{ span: first, depth: 0 }];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { span, depth } = next;
      // Callers choose the span that theirs goes on from: they may make a circle.
      if (shown.has(span.span_id)) continue;
      shown.add(span.span_id);
      rows.push({ span, depth, ...barOf(span, wholeMs), facts: factsOf(span) });
      const below = children.get(span.span_id) ?? [];
      waiting.push(...below.map((child) => ({ span: child, depth: depth + 1 })).reverse());
    }
  };
  for (const span of children.get(null) ?? []) add(span);
  for (const span of spans) add(span);
  return rows;
}

function barOf({ start_ms, duration_ms }: TraceSpan, wholeMs: number): { from: number; width: number } {
  if (wholeMs <= 0) return { from: 0, width: 1 };
  const width = Math.min(1, Math.max(LEAST_WIDTH, duration_ms / wholeMs));
  return { from: Math.min(1 - width, start_ms / wholeMs), width };
}

function factsOf({ attributes }: TraceSpan): string {
  return Object.entries(attributes).flatMap(factOf).join(", ");
}

/** Of `parley.first_audio_ms`, say, "first audio 31.0 ms". */
function factOf([name, value]: [name: string, value: string]): string[] {
  const words = attributeWords[name] ?? name.slice(name.indexOf(".") + 1).replaceAll("_", " ");
  if (words === "") return [];
  if (words.endsWith(" ms")) return [`${words.slice(0, -" ms".length)} ${millisecondsText(Number(value))}`];
  return [`${words} ${value}`];
}

/** A span of time for people: milliseconds as exact as they matter. */
export function millisecondsText(ms: number): string {
  if (ms >= 100) return `${Math.round(ms).toLocaleString("en")} ms`;
  return `${ms.toFixed(ms >= 10 ? 1 : 2)} ms`;
}

/** The id that stands in what somebody pasted, which may be a whole `traceparent`; null where none does. */
export function traceIdIn(text: string): string | null {
  return (
    text
      .toLowerCase()
      .split(/[^0-9a-f]/)
      .find((word) => word.length === 32) ?? null
  );
}
