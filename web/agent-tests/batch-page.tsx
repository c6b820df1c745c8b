import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { Button } from "react-aria-components/Button";
import type { TestBatch, TestRun } from "#protocol/agents/test-runs";
import { ask } from "../api/request.js";
import { momentText } from "../parts/time-text.js";
import { Facts } from "../parts/facts.js";
import { usePageTitle } from "../parts/page-title.js";
import { FailureNote } from "../shell/failure-note.js";
import { rateText } from "./pass-rates.js";
import "./tests.css";

const ASK_AGAIN_MS = 1000;

/** One batch of runs, renewed until all are over. */
export function BatchPage() {
  const { agentId, batchId } = useParams({ from: "/signed-in/tests/batches/$agentId/$batchId" });
  const path = `/v1/agent/agents/${encodeURIComponent(agentId)}/test-batches/${encodeURIComponent(batchId)}`;
  const { data: batch, error } = useQuery({
    queryKey: ["test-batch", agentId, batchId],
    queryFn: () => ask<TestBatch>("GET", path),
    refetchInterval: ({ state }) => (state.data?.completed === false ? ASK_AGAIN_MS : false),
  });
  usePageTitle("Test runs");
  return (
    <>
      <p>
        <Link to="/tests" search={{ agent_id: agentId }}>
          All tests
        </Link>
      </p>
      <h1>Test runs</h1>
      {error === null ? null : <FailureNote doing="The runs cannot be read" error={error} />}
      {batch === undefined ? error === null && <p className="soft">Asking…</p> : <Batch batch={batch} />}
    </>
  );
}

function Batch({ batch }: { batch: TestBatch }) {
  return (
    <div className="sections-of-page">
      <section className="card" aria-labelledby="batch">
        <h2 id="batch">{batch.completed ? "Completed" : "Running"}</h2>
        <Facts
          facts={[
            ["Pass rate", rateText(batch.pass_rate)],
            ["Passed", String(batch.passed)],
            ["Failed", String(batch.failed)],
            ["Errors", String(batch.errors)],
            ["Runs", String(batch.runs.length)],
            ["Begun", momentText(batch.created_at)],
          ]}
        />
        {batch.completed ? <Repeat batch={batch} /> : null}
      </section>
      <section className="card" aria-labelledby="runs">
        <h2 id="runs">Runs</h2>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard */}
        <section className="scroll" tabIndex={0} aria-label="Runs of the batch">
          <table>
            <thead>
              <tr>
                <th>Test</th>
                <th>Status</th>
                <th className="number">Reply</th>
                <th className="number">Cost</th>
              </tr>
            </thead>
            <tbody>
              {batch.runs.map((run) => (
                <tr key={run.run_id}>
                  <td>
                    <Link to="/tests/runs/$runId" params={{ runId: run.run_id }}>
                      {run.test_name}
                      {run.repeat_index > 0 ? `, ${run.repeat_index + 1}` : ""}
                    </Link>
                  </td>
                  <td>
                    <span className={`verdict-${run.status}`}>{run.status}</span>
                    {run.needs_review ? ", look at it" : ""}
                  </td>
                  <td className="number">{run.latency_ms === 0 ? "–" : `${run.latency_ms.toLocaleString("en")} ms`}</td>
                  <td className="number">{run.usage.cost_usd === null ? "–" : `$${run.usage.cost_usd}`}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </section>
    </div>
  );
}

/** Runs the same tests again, those that did not pass or all of them. */
function Repeat({ batch }: { batch: TestBatch }) {
  const navigate = useNavigate();
  const { mutate, isPending, error } = useMutation({
    mutationFn: (runs: readonly TestRun[]) =>
      ask<TestBatch>("POST", `/v1/agent/agents/${batch.agent_id}/tests/run`, {
        test_ids: [...new Set(runs.map(({ test_id }) => test_id))],
      }),
    onSuccess: ({ agent_id: agentId, batch_id: batchId }) =>
      navigate({ to: "/tests/batches/$agentId/$batchId", params: { agentId, batchId } }),
  });
  const others = batch.runs.filter(({ status }) => status !== "passed");
  return (
    <>
      {error === null ? null : <FailureNote doing="They do not run again" error={error} />}
      <div className="actions">
        <Button className="button" isDisabled={isPending} onPress={() => mutate(batch.runs)}>
          Run all again
        </Button>
        {others.length === 0 || others.length === batch.runs.length ? null : (
          <Button className="button quiet" isDisabled={isPending} onPress={() => mutate(others)}>
            Run again what did not pass
          </Button>
        )}
      </div>
    </>
  );
}
