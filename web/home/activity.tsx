import { useQuery } from "@tanstack/react-query";
import type { ActivityReport } from "#protocol/usage";
import { ask } from "../api/request.js";
import { FailureNote } from "../shell/failure-note.js";
import { latencyLines, liveFacts } from "./activity-facts.js";
import { Facts } from "../parts/facts.js";

const ASK_AGAIN_MS = 5000;

/** What goes on at this moment and how fast answers came of late, renewed by itself. */
export function ActivityCard() {
  const { data, error } = useQuery({
    queryKey: ["usage", "activity"],
    queryFn: () => ask<ActivityReport>("GET", "/v1/usage/activity"),
    refetchInterval: ASK_AGAIN_MS,
  });
  return (
    <section className="card" aria-labelledby="activity">
      <h2 id="activity">Now</h2>
      {error === null ? null : <FailureNote doing="What goes on cannot be read" error={error} />}
      {data === undefined ? error === null && <p className="soft">Asking…</p> : <Activity report={data} />}
    </section>
  );
}

function Activity({ report }: { report: ActivityReport }) {
  return (
    <>
      <Facts facts={liveFacts(report)} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard */}
      <section className="scroll" tabIndex={0} aria-label="Latencies of the last 24 hours">
        <table>
          <caption>Last 24 hours</caption>
          <thead>
            <tr>
              <th>Until</th>
              <th className="number">Count</th>
              <th className="number">Median</th>
              <th className="number">95 %</th>
              <th className="number">99 %</th>
            </tr>
          </thead>
          <tbody>
            {latencyLines(report).map(({ name, count, percentiles: [p50, p95, p99] }) => (
              <tr key={name}>
                <td>{name}</td>
                <td className="number">{count}</td>
                <td className="number">{p50}</td>
                <td className="number">{p95}</td>
                <td className="number">{p99}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}
