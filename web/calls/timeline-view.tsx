import { Button } from "react-aria-components/Button";
import type { SessionItem, TurnLatencyEntity } from "#protocol/agents/session";
import { clockText } from "../parts/time-text.js";
import { latencyParts, longestWaitMs, type TimelineEntry } from "./timeline.js";

interface TimelineProps {
  entries: readonly TimelineEntry[];
  /** Plays the recording from so many seconds after its beginning. */
  onSeek: (seconds: number) => void;
}

/** What was said and done in a call, each at its time. */
export function Timeline({ entries, onSeek }: TimelineProps) {
  const longestMs = longestWaitMs(entries);
  return (
    <ol className="timeline">
      {entries.map(({ key, atSeconds, fromSeconds, item, latency, isCutOff }) => (
        <li key={key} className={`entry entry-${kindOf(item)}`}>
          {atSeconds === null ? (
            <span className="soft">–</span>
          ) : (
            <Button
              className="at"
              aria-label={`Play what was over at ${clockText(atSeconds)}`}
              onPress={() => onSeek(fromSeconds)}
            >
              {clockText(atSeconds)}
            </Button>
          )}
          <div>
            <Item item={item} />
            {isCutOff ? <p className="help">It was cut off here: the caller heard no more of it.</p> : null}
            {latency === null ? null : <Wait latency={latency} longestMs={longestMs} />}
          </div>
        </li>
      ))}
    </ol>
  );
}

function kindOf(item: SessionItem): string {
  return item.type === "message" ? item.role : "tool";
}

function Item({ item }: { item: SessionItem }) {
  switch (item.type) {
    case "message":
      return (
        <p>
          <strong>{item.role === "user" ? "Caller" : "Agent"}</strong> {item.content}
        </p>
      );
    case "tool_call":
      return (
        <details>
          <summary>
            Asks {item.tool_name} {item.tool_source === null ? "" : `(${item.tool_source})`}
          </summary>
          <Text label={`Arguments of ${item.tool_name}`} text={item.input} />
        </details>
      );
    case "tool_result":
      return (
        <details>
          <summary>
            {item.tool_name} {item.status === "completed" ? "answered" : "failed"}
            {item.latency_ms === null ? "" : ` after ${item.latency_ms.toLocaleString("en")} ms`}
          </summary>
          <Text
            label={`Answer of ${item.tool_name}`}
            text={`${item.error ?? item.output ?? ""}${item.output_truncated ? "…" : ""}`}
          />
        </details>
      );
  }
}

function Text({ label, text }: { label: string; text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
    <section className="scroll" tabIndex={0} aria-label={label}>
      <pre>{text}</pre>
    </section>
  );
}

/** How long the caller waited for a reply, beside the call's longest wait. */
function Wait({ latency, longestMs }: { latency: TurnLatencyEntity; longestMs: number }) {
  const parts = latencyParts(latency).map(([name, ms]) => `${name} ${ms.toLocaleString("en")}`);
  return (
    <div className="wait">
      <div className="wait-bar" aria-hidden="true">
        <span style={{ width: `${(100 * latency.total_ms) / Math.max(1, longestMs)}%` }} />
      </div>
      <p className="help">
        Reply after {latency.total_ms.toLocaleString("en")} ms{parts.length === 0 ? "" : ` (${parts.join(", ")})`}
      </p>
    </div>
  );
}
