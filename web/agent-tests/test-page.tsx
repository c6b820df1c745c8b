import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import type { TestEntity } from "#protocol/agents/tests";
import { ask } from "../api/request.js";
import { ConfirmedButton } from "../parts/confirmed-button.js";
import { usePageTitle } from "../parts/page-title.js";
import { FailureNote } from "../shell/failure-note.js";
import { TestEditor } from "./test-editor.js";
import "./tests.css";

/** The page of a new test, for the agent that the address names. */
export function NewTest() {
  usePageTitle("New test");
  const { agent_id = null } = useSearch({ from: "/signed-in/tests/new" });
  const navigate = useNavigate();
  const queries = useQueryClient();
  return (
    <>
      <BackLink agentId={agent_id} />
      <h1>New test</h1>
      <TestEditor
        test={null}
        agentId={agent_id}
        onSaved={(test) => {
          queries.removeQueries({ queryKey: ["tests"] });
          void navigate({ to: "/tests/$testId", params: { testId: test.test_id } });
        }}
      />
    </>
  );
}

/** The page of a test that is there. */
export function TestPage() {
  const { testId } = useParams({ from: "/signed-in/tests/$testId" });
  const queries = useQueryClient();
  const { data: test, error } = useQuery({
    queryKey: ["test", testId],
    queryFn: () => ask<TestEntity>("GET", `/v1/agent/tests/${encodeURIComponent(testId)}`),
    // What somebody writes in the form must not be replaced.
    refetchOnWindowFocus: false,
  });
  usePageTitle(test?.name ?? "Test");
  return (
    <>
      <BackLink agentId={test?.agent_ids[0] ?? null} />
      <h1>{test?.name ?? "Test"}</h1>
      {error === null ? null : <FailureNote doing="The test cannot be read" error={error} />}
      {test === undefined ? (
        error === null && <p className="soft">Asking…</p>
      ) : (
        <>
          <TestEditor
            key={test.test_id}
            test={test}
            agentId={test.agent_ids[0] ?? null}
            onSaved={(saved) => {
              queries.setQueryData(["test", testId], saved);
              queries.removeQueries({ queryKey: ["tests"] });
            }}
          />
          <DeleteTest test={test} />
        </>
      )}
    </>
  );
}

function BackLink({ agentId }: { agentId: string | null }) {
  return (
    <p>
      <Link to="/tests" search={agentId === null ? {} : { agent_id: agentId }}>
        All tests
      </Link>
    </p>
  );
}

function DeleteTest({ test }: { test: TestEntity }) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  return (
    <p className="below">
      <ConfirmedButton
        className="button danger"
        label="Delete the test"
        title="Delete the test?"
        text={`“${test.name}” is detached from every agent and cannot be brought back. Its runs stay.`}
        action="Delete"
        run={() => ask("DELETE", `/v1/agent/tests/${test.test_id}`)}
        onDone={() => {
          queries.removeQueries({ queryKey: ["tests"] });
          return navigate({ to: "/tests" });
        }}
      />
    </p>
  );
}
