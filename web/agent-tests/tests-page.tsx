import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import type { PageEnvelope } from "#protocol/paging";
import type { TestBatch } from "#protocol/agents/test-runs";
import type { TestSummary } from "#protocol/agents/tests";
import { agentNamesQuery } from "../agents/agent-names.js";
import { ask } from "../api/request.js";
import { NumberField } from "../parts/number-field.js";
import { usePageTitle } from "../parts/page-title.js";
import { SelectField } from "../parts/select-field.js";
import { FailureNote } from "../shell/failure-note.js";
import { Batches } from "./batches.js";
import "./tests.css";

/** The tests of an agent, the way to run them, and what came of former runs. */
export function Tests() {
  usePageTitle("Tests");
  const { agent_id } = useSearch({ from: "/signed-in/tests" });
  const navigate = useNavigate({ from: "/tests" });
  const agents = useQuery(agentNamesQuery);
  const known = agents.data?.agents ?? [];
  const chosen = agent_id ?? known[0]?.agent_id;
  return (
    <>
      <h1>Tests</h1>
      {agents.error === null ? null : <FailureNote doing="The agents cannot be read" error={agents.error} />}
      {agents.data !== undefined && known.length === 0 ? (
        <p className="soft">There is no agent yet. Make one first; its tests are listed here.</p>
      ) : null}
      {chosen === undefined ? null : (
        <>
          <SelectField
            label="Agent"
            value={chosen}
            choices={[
              ...known.map((agent) => ({ value: agent.agent_id, label: agent.name })),
              ...(known.some((agent) => agent.agent_id === chosen) ? [] : [{ value: chosen, label: chosen }]),
            ]}
            onChange={(value) => void navigate({ search: { agent_id: value }, replace: true })}
          />
          <div className="sections-of-page">
            <AgentTests key={chosen} agentId={chosen} />
            <Batches agentId={chosen} />
          </div>
        </>
      )}
    </>
  );
}

function AgentTests({ agentId }: { agentId: string }) {
  const { data, error } = useQuery({
    queryKey: ["tests", agentId],
    queryFn: () =>
      ask<PageEnvelope & { tests: TestSummary[] }>("GET", `/v1/agent/tests?page_size=100&agent_id=${agentId}`),
  });
  const tests = data?.tests ?? [];
  return (
    <section className="card" aria-labelledby="tests">
      <h2 id="tests">Tests of this agent</h2>
      {error === null ? null : <FailureNote doing="The tests cannot be read" error={error} />}
      {data !== undefined && tests.length === 0 ? (
        <p className="soft">It has none. A test says what the agent is to do in a conversation; a model judges it.</p>
      ) : null}
      {tests.length === 0 ? null : <TestTable tests={tests} />}
      {data?.has_more === true ? <p className="soft">Only the first {tests.length} are shown.</p> : null}
      <RunTests agentId={agentId} hasTests={tests.length > 0} />
    </section>
  );
}

const kinds: Readonly<Record<TestSummary["test_type"], string>> = {
  next_reply: "reply",
  tool: "tool",
  simulation: "conversation",
};

function TestTable({ tests }: { tests: readonly TestSummary[] }) {
  return (
    <table>
      <thead>
        <tr>
          <th>Name</th>
          <th>Kind</th>
        </tr>
      </thead>
      <tbody>
        {tests.map((test) => (
          <tr key={test.test_id}>
            <td>
              <Link to="/tests/$testId" params={{ testId: test.test_id }}>
                {test.name}
              </Link>
            </td>
            <td>{kinds[test.test_type]}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function RunTests({ agentId, hasTests }: { agentId: string; hasTests: boolean }) {
  const [repeatCount, setRepeatCount] = useState<number | null>(null);
  const navigate = useNavigate();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      ask<TestBatch>(
        "POST",
        `/v1/agent/agents/${agentId}/tests/run`,
        repeatCount === null ? {} : { repeat_count: repeatCount },
      ),
    onSuccess: ({ batch_id }) =>
      navigate({ to: "/tests/batches/$agentId/$batchId", params: { agentId, batchId: batch_id } }),
  });
  return (
    <>
      {error === null ? null : <FailureNote doing="The tests do not run" error={error} />}
      {hasTests ? (
        <NumberField
          label="Runs of each"
          help="Empty: as often as each test says."
          value={repeatCount}
          onChange={setRepeatCount}
        />
      ) : null}
      <div className="actions">
        {hasTests ? (
          <Button className="button" isDisabled={isPending} onPress={() => mutate()}>
            Run them on the draft
          </Button>
        ) : null}
        <Link to="/tests/new" search={{ agent_id: agentId }}>
          New test
        </Link>
      </div>
    </>
  );
}
