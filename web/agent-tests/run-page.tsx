import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { SimulationResult, TestRunDetail } from "#protocol/agents/test-runs";
import { ask } from "../api/request.js";
import { Facts } from "../parts/facts.js";
import { usePageTitle } from "../parts/page-title.js";
import { FailureNote } from "../shell/failure-note.js";
import { transcriptOf, type TranscriptLine } from "./transcript.js";
import "./tests.css";

const ASK_AGAIN_MS = 1000;

/** One run of a test: what was said, what was judged, and why. */
export function RunPage() {
  const { runId } = useParams({ from: "/signed-in/tests/runs/$runId" });
  const { data: run, error } = useQuery({
    queryKey: ["test-run", runId],
    queryFn: () => ask<TestRunDetail>("GET", `/v1/agent/test-runs/${encodeURIComponent(runId)}`),
    refetchInterval: ({ state: { data } }) =>
      data?.status === "queued" || data?.status === "running" ? ASK_AGAIN_MS : false,
  });
  const title = run === undefined ? "Test run" : `Run of ${run.test_name}`;
  usePageTitle(title);
  return (
    <>
      {run === undefined ? null : <BackLink run={run} />}
      <h1>{title}</h1>
      {error === null ? null : <FailureNote doing="The run cannot be read" error={error} />}
      {run === undefined ? error === null && <p className="soft">Asking…</p> : <Run run={run} />}
    </>
  );
}

function BackLink({ run: { agent_id: agentId, batch_id: batchId, test_id: testId } }: { run: TestRunDetail }) {
  return (
    <p className="actions">
      {batchId === null ? null : (
        <Link to="/tests/batches/$agentId/$batchId" params={{ agentId, batchId }}>
          All runs of the batch
        </Link>
      )}
      <Link to="/tests/$testId" params={{ testId }}>
        The test
      </Link>
    </p>
  );
}

function Run({ run }: { run: TestRunDetail }) {
  const isOver = run.status !== "queued" && run.status !== "running";
  return (
    <div className="sections-of-page">
      <section className="card" aria-labelledby="outcome">
        <h2 id="outcome">Outcome</h2>
        <p>
          <span className={`verdict-${run.status}`}>{run.status}</span>
          {run.needs_review ? ": the judge was not sure, look at it yourself" : ""}
        </p>
        {run.error === "" ? null : <p className="note bad">{run.error}</p>}
        {run.judge_reasoning === "" ? null : <p>{run.judge_reasoning}</p>}
        {isOver ? <Facts facts={factsOf(run)} /> : null}
      </section>
      <section className="card" aria-labelledby="transcript">
        <h2 id="transcript">Transcript</h2>
        <Transcript lines={transcriptOf(run)} />
      </section>
      {run.simulation_result === null ? null : <Checks result={run.simulation_result} />}
      {run.mock_gaps.length === 0 ? null : <MockGaps gaps={run.mock_gaps} />}
      {run.judge_prompt === "" ? null : (
        <details className="card">
          <summary>What the judge was asked</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard */}
          <section className="scroll" tabIndex={0} aria-label="What the judge was asked">
            <pre>{run.judge_prompt}</pre>
          </section>
        </details>
      )}
    </div>
  );
}

function factsOf(run: TestRunDetail): [string, string][] {
  return [
    ["Reply, mean", run.latency_ms === 0 ? "–" : `${run.latency_ms.toLocaleString("en")} ms`],
    ["Replies", String(run.usage.agent_replies)],
    ["Cost", run.usage.cost_usd === null ? "–" : `$${run.usage.cost_usd}`],
    ...(run.ended_by === null ? [] : [["Ended by", run.ended_by.replaceAll("_", " ")] as [string, string]]),
  ];
}

function Transcript({ lines }: { lines: readonly TranscriptLine[] }) {
  if (lines.length === 0) return <p className="soft">Nothing was said yet.</p>;
  return (
    <ol className="transcript">
      {lines.map(({ key, speaker, text, isNew }) => (
        <li key={key}>
          <p>
            <strong>{speaker}</strong> {text}
            {isNew ? null : <span className="soft"> (given by the test)</span>}
          </p>
        </li>
      ))}
    </ol>
  );
}

function Checks({ result: { assertions, conditions, summary } }: { result: SimulationResult }) {
  const rows = [
    ...conditions.map(({ name, result, rationale }) => ({ name, verdict: result, why: rationale })),
    ...assertions.map(({ kind, target, passed, detail }) => ({
      name: `${kind.replaceAll("_", " ")}: ${target}`,
      verdict: passed ? "success" : "failure",
      why: detail,
    })),
  ];
  return (
    <section className="card" aria-labelledby="checks">
      <h2 id="checks">Checks</h2>
      {summary === "" ? null : <p>{summary}</p>}
      {rows.length === 0 ? null : (
        <table>
          <thead>
            <tr>
              <th>What</th>
              <th>Result</th>
              <th>Why</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ name, verdict, why }) => (
              <tr key={name}>
                <td>{name}</td>
                <td>
                  <span className={`verdict-${verdict}`}>{verdict}</span>
                </td>
                <td>{why}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function MockGaps({ gaps }: { gaps: TestRunDetail["mock_gaps"] }) {
  return (
    <section className="card" aria-labelledby="gaps">
      <h2 id="gaps">Tools without a made-up answer</h2>
      <ul>
        {gaps.map(({ tool_name, source, calls }) => (
          <li key={`${tool_name} ${source}`}>
            {tool_name}: {source === "missing" ? "there is none" : "none fits the arguments"},{" "}
            {calls.toLocaleString("en")} {calls === 1 ? "call" : "calls"}
          </li>
        ))}
      </ul>
    </section>
  );
}
