import type { StoredSpan } from "#protocol/bus/span-stream";
import type { TraceReport, TraceSpan } from "#protocol/traces";

/** Spans of one answer at most. */
export const MAX_REPORTED_SPANS = 2000;

/** Which process did it, and whose request it was, are not told. */
const hiddenAttributes = new Set(["parley.team", "parley.worker"]);

/**
 * What a team may see of a trace; null when none of it is the team's. Callers choose the id of their trace and the span
 * that it goes on from, so requests of several teams may lie in one: a span is of the team that was let in by the
 * nearest request above it, and of nobody where that showed no key.
 */
export function reportTrace(traceId: string, spans: readonly StoredSpan[], teamId: string): TraceReport | null {
  const owners = ownersOf(spans);
  const own = spans
    .filter(({ spanId }) => owners.get(spanId) === teamId)
    .sort((one, other) => one.startMs - other.startMs);
  const [first] = own;
  if (first === undefined) return null;
  const ids = new Set(own.map(({ spanId }) => spanId));
  const endMs = own.reduce((latest, span) => Math.max(latest, span.endMs), first.endMs);
  return {
    trace_id: traceId,
    started_at: new Date(first.startMs).toISOString(),
    duration_ms: roundMs(endMs - first.startMs),
    spans: own.slice(0, MAX_REPORTED_SPANS).map((span) => describe(span, first.startMs, ids)),
    truncated: own.length > MAX_REPORTED_SPANS,
  };
}

/** The team of each span by its id; null is nobody. */
function ownersOf(spans: readonly StoredSpan[]): Map<string, string | null> {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const owners = new Map<string, string | null>();
  for (const span of spans) {
    const path: string[] = [];
    let owner: string | null = null;
    let at: StoredSpan | undefined = span;
    while (at !== undefined) {
      const known = owners.get(at.spanId);
      if (known !== undefined) {
        owner = known;
        break;
      }
      // Nobody's until it is known, which also ends a circle.
      owners.set(at.spanId, null);
      path.push(at.spanId);
      if (at.kind === "server") {
        owner = teamOf(at);
        break;
      }
      at = at.parentSpanId === null ? undefined : byId.get(at.parentSpanId);
    }
    for (const spanId of path) owners.set(spanId, owner);
  }
  return owners;
}

function teamOf({ attributes }: StoredSpan): string | null {
  const team = attributes["parley.team"];
  return team === undefined ? null : String(team);
}

function describe(span: StoredSpan, firstMs: number, ids: ReadonlySet<string>): TraceSpan {
  const { spanId, parentSpanId, name, role, startMs, endMs, failed, attributes } = span;
  const shown = Object.entries(attributes).filter(([attribute]) => !hiddenAttributes.has(attribute));
  return {
    span_id: spanId,
    parent_span_id: parentSpanId !== null && ids.has(parentSpanId) ? parentSpanId : null,
    name,
    role,
    start_ms: roundMs(startMs - firstMs),
    duration_ms: roundMs(endMs - startMs),
    failed,
    attributes: Object.fromEntries(shown.map(([attribute, value]) => [attribute, String(value)])),
  };
}

/** To microseconds, as spans are stored. */
const roundMs = (ms: number): number => Math.round(ms * 1000) / 1000;
