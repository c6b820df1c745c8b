import { useMemo } from "react";
import type { TraceReport } from "#protocol/traces";
import { momentText } from "../parts/time-text.js";
import { millisecondsText, type WaterfallRow, waterfallOf } from "./waterfall.js";
import "./traces.css";

const INDENT_REM = 0.9;
/** Deeper spans stand where these do: a narrow screen has no more room. */
const MOST_INDENTS = 6;
/** The length of a whole bar, in units of its drawing. */
const BAR = 1000;

/** Who worked on a request, when and for how long: a table, with a bar in each line. */
export function WaterfallTable({ trace }: { trace: TraceReport }) {
  const rows = useMemo(() => waterfallOf(trace), [trace]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
    <section className="card scroll" tabIndex={0} aria-label="Waterfall">
      <table className="waterfall">
        <caption>
          {momentText(trace.started_at)}, {millisecondsText(trace.duration_ms)} in all
          {trace.truncated ? "; there is more than is shown" : ""}
        </caption>
        <thead>
          <tr>
            <th>Work</th>
            <th>Role</th>
            <th className="number">Began after</th>
            <th className="number">Took</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={row.span.span_id} row={row} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Row({ row: { span, depth, from, width, facts } }: { row: WaterfallRow }) {
  return (
    <tr>
      <td>
        <div style={{ paddingInlineStart: `${INDENT_REM * Math.min(depth, MOST_INDENTS)}rem` }}>
          {span.name}
          {span.failed ? <strong className="problem"> failed</strong> : null}
          {facts === "" ? null : <div className="help">{facts}</div>}
        </div>
        <svg
          className={span.failed ? "waterfall-bar failed" : "waterfall-bar"}
          viewBox={`0 0 ${BAR} 1`}
          preserveAspectRatio="none"
          aria-hidden="true"
        >
          <rect x={from * BAR} y="0" width={width * BAR} height="1" />
        </svg>
      </td>
      <td>{span.role}</td>
      <td className="number">{millisecondsText(span.start_ms)}</td>
      <td className="number">{millisecondsText(span.duration_ms)}</td>
    </tr>
  );
}
