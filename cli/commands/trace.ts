import type { StoredSpan } from "#protocol/bus/span-stream";
import { controlSubjects, type TraceReply, type TraceRequest } from "#protocol/bus/control";
import { askControlPlane } from "../ask-control-plane.js";
import { type Command, CommandError, exitCodes } from "../command.js";

export const traceCommand: Command = {
  name: "trace",
  arguments: "ID",
  summary: "Shows what became of one request, process by process.",
  details: [
    "  ID is the trace's: 32 hex characters, as in the `traceparent` that was sent, or `trace_id` of the logs.",
    "  Spans are kept where CLICKHOUSE_URL is set or PARLEY_SPANS is on, and arrive some seconds after the request.",
  ],
  options: { json: { type: "boolean", doc: "As JSON." } },
  async run(terminal, positionals, values) {
    const [traceId, ...more] = positionals;
    if (traceId === undefined || more.length > 0 || !/^[0-9a-f]{32}$/.test(traceId)) {
      throw new CommandError("say: trace ID, with 32 lower-case hex characters", exitCodes.usage);
    }
    const { spans } = await askControlPlane<TraceReply>(terminal, controlSubjects.trace, {
      traceId,
    } satisfies TraceRequest);
    if (values.json === true) terminal.stdout.write(`${JSON.stringify(spans, null, 2)}\n`);
    else terminal.stdout.write(spans.length === 0 ? "No span of this trace is kept.\n" : traceTree(spans));
    return spans.length === 0 ? exitCodes.failed : exitCodes.ok;
  },
};

/**
 * A trace as lines, each span below the one that it is part of. The first column is when it began, counted from the
 * trace's first span, the second how long it took. Spans whose parent is not kept, such as a caller's own, stand at the
 * left.
 */
function traceTree(spans: readonly StoredSpan[]): string {
  const beganMs = Math.min(...spans.map(({ startMs }) => startMs));
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const lines: string[] = [];
  const drawn = new Set<string>();
  const draw = (span: StoredSpan, depth: number): void => {
    // Strangers choose ids: spans may name each other as parents.
    if (drawn.has(span.spanId)) return;
    drawn.add(span.spanId);
    const times = [span.startMs - beganMs, span.endMs - span.startMs]
      .map((ms) => `${ms.toFixed(1)} ms`.padStart(12))
      .join("");
    const facts = Object.entries(span.attributes).map(([name, value]) => ` ${name.replace(/^parley\./, "")}=${value}`);
    lines.push(
      `${times}  ${"  ".repeat(depth)}${span.name}  [${span.memberId}]${span.failed ? " FAILED" : ""}${facts.join("")}`,
    );
    for (const child of spans) if (child.parentSpanId === span.spanId) draw(child, depth + 1);
  };
  for (const span of spans) if (span.parentSpanId === null || !ids.has(span.parentSpanId)) draw(span, 0);
  for (const span of spans) draw(span, 0);
  return lines.map((line) => `${line}\n`).join("");
}
