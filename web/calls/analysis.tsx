import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Button } from "react-aria-components/Button";
import type { SessionAnalysis } from "#protocol/agents/analysis";
import type { SessionDetail } from "#protocol/agents/session";
import { ask } from "../api/request.js";
import { FailureNote } from "../shell/failure-note.js";

/** What the analysis of a call found out, and the way to have it done again. */
export function Analysis({ call, path }: { call: SessionDetail; path: string }) {
  const queries = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => ask<SessionAnalysis>("POST", `${path}/analysis`),
    onSuccess: (analysis) => queries.setQueryData(["call", call.session_id], { ...call, analysis }),
  });
  const isUnderWay = call.analysis?.status === "queued" || call.analysis?.status === "running";
  return (
    <section className="card" aria-labelledby="analysis">
      <h2 id="analysis">Analysis</h2>
      {call.analysis === null ? <p className="soft">It was not analyzed.</p> : <Findings analysis={call.analysis} />}
      {error === null ? null : <FailureNote doing="It is not analyzed again" error={error} />}
      <Button className="button quiet" isDisabled={isPending || isUnderWay} onPress={() => mutate()}>
        {call.analysis === null ? "Analyze" : "Analyze again"}
      </Button>
    </section>
  );
}

const skipReasons: Readonly<Record<NonNullable<SessionAnalysis["skip_reason"]>, string>> = {
  caller_never_spoke: "the caller said nothing",
  analysis_disabled: "the agent's configuration asks for none",
  no_language_model: "no language model is set up",
};

function Findings({ analysis }: { analysis: SessionAnalysis }) {
  const { status, summary, data, criteria_results: criteria, error, skip_reason } = analysis;
  if (status === "queued" || status === "running") return <p role="status">Under way…</p>;
  if (status === "skipped")
    return (
      <p className="soft">Left out: {skip_reason === null ? "there was nothing to do" : skipReasons[skip_reason]}.</p>
    );
  if (status === "error") return <p className="note bad">It failed: {error ?? "nobody said why"}</p>;
  return (
    <>
      {summary === null ? null : <p>{summary}</p>}
      {criteria.length === 0 ? null : (
        <FindingTable
          name="Criteria"
          rows={criteria.map(({ name, result, rationale }) => ({ name, value: result, rationale }))}
        />
      )}
      {data.length === 0 ? null : (
        <FindingTable
          name="Data"
          rows={data.map(({ name, value, rationale }) => ({ name, value: String(value ?? "–"), rationale }))}
        />
      )}
      <p className="help">
        {analysis.model === null ? "" : `By ${analysis.model}. `}
        {analysis.cost_usd === null ? "" : `It cost $${analysis.cost_usd}.`}
      </p>
    </>
  );
}

function FindingTable({ name, rows }: { name: string; rows: { name: string; value: string; rationale: string }[] }) {
  return (
    <table>
      <caption>{name}</caption>
      <thead>
        <tr>
          <th>Name</th>
          <th>Result</th>
          <th>Why</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.name}>
            <td>{row.name}</td>
            <td>{row.value}</td>
            <td>{row.rationale}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
