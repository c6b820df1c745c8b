import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import type { PageEnvelope } from "#protocol/paging";
import type { TestBatchSummary } from "#protocol/agents/test-runs";
import { ask } from "../api/request.js";
import { momentText } from "../parts/time-text.js";
import { LineChart } from "../charts/line-chart.js";
import { FailureNote } from "../shell/failure-note.js";
import { passRates, rateText } from "./pass-rates.js";

const ASK_AGAIN_MS = 5000;
const SHOWN = 50;

/** How an agent's tests went, batch by batch. */
export function Batches({ agentId }: { agentId: string }) {
  const { data, error } = useQuery({
    queryKey: ["test-batches", agentId],
    queryFn: () =>
      ask<PageEnvelope & { batches: TestBatchSummary[] }>(
        "GET",
        `/v1/agent/agents/${agentId}/test-batches?page_size=${SHOWN}`,
      ),
    refetchInterval: ASK_AGAIN_MS,
  });
  const batches = useMemo(() => data?.batches ?? [], [data]);
  return (
    <section className="card" aria-labelledby="batches">
      <h2 id="batches">Runs</h2>
      {error === null ? null : <FailureNote doing="The runs cannot be read" error={error} />}
      {data !== undefined && batches.length === 0 ? <p className="soft">They have not been run yet.</p> : null}
      {batches.length === 0 ? null : (
        <>
          <PassRateChart batches={batches} />
          <BatchTable agentId={agentId} batches={batches} />
        </>
      )}
    </section>
  );
}

function PassRateChart({ batches }: { batches: readonly TestBatchSummary[] }) {
  const { times, percents } = useMemo(() => passRates(batches), [batches]);
  const series = useMemo(() => [{ name: "Passed, percent", values: percents }], [percents]);
  // One point is no line.
  if (times.length < 2) return null;
  return <LineChart label="Pass rate over time; the table has the numbers" {...{ times, series }} />;
}

function BatchTable({ agentId, batches }: { agentId: string; batches: readonly TestBatchSummary[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
    <section className="scroll" tabIndex={0} aria-label="Batches of runs">
      <table>
        <thead>
          <tr>
            <th>Begun</th>
            <th>Status</th>
            <th className="number">Pass rate</th>
            <th className="number">Passed</th>
            <th className="number">Failed</th>
            <th className="number">Errors</th>
            <th className="number">Runs</th>
          </tr>
        </thead>
        <tbody>
          {batches.map((batch) => (
            <tr key={batch.batch_id}>
              <td>
                <Link to="/tests/batches/$agentId/$batchId" params={{ agentId, batchId: batch.batch_id }}>
                  {momentText(batch.created_at)}
                </Link>
              </td>
              <td>{batch.status}</td>
              <td className="number">{rateText(batch.pass_rate)}</td>
              <td className="number">{batch.passed}</td>
              <td className="number">{batch.failed}</td>
              <td className="number">{batch.errors}</td>
              <td className="number">{batch.total}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
