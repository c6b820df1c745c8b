import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { TestEntity } from "#protocol/agents/tests";
import { ApiFailure, ask } from "../api/request.js";
import { SelectField } from "../parts/select-field.js";
import { TextField } from "../parts/text-field.js";
import { FailureNote } from "../shell/failure-note.js";
import { SimulationFields } from "./simulation-fields.js";
import { ReplyFields, ToolFields } from "./test-fields.js";
import { bodyOf, formOf, newTest, problemsByField, problemsOf, type TestForm } from "./test-form.js";

interface TestEditorProps {
  /** Null for a new one. */
  test: TestEntity | null;
  /** Whose tools the test may name, and whom a new one is attached to. */
  agentId: string | null;
  onSaved: (test: TestEntity) => void;
}

const types: Readonly<Record<TestForm["test_type"], string>> = {
  next_reply: "One reply, judged",
  tool: "One call of a tool",
  simulation: "A whole conversation",
};

/** Edits a test, or makes one. */
export function TestEditor({ test, agentId, onSaved }: TestEditorProps) {
  const [form, setForm] = useState(() => (test === null ? newTest : formOf(test)));
  const { mutate, isPending, isSuccess, error } = useMutation({
    mutationFn: () =>
      test === null
        ? ask<TestEntity>("POST", "/v1/agent/tests", {
            ...bodyOf(form, true),
            ...(agentId === null ? {} : { agent_ids: [agentId] }),
          })
        : ask<TestEntity>("PATCH", `/v1/agent/tests/${test.test_id}`, bodyOf(form, false)),
    onSuccess: onSaved,
  });
  const refused = error instanceof ApiFailure ? error.problems : [];
  const own = problemsOf(form);
  const problems = problemsByField(own.length > 0 ? own : refused);
  const change = (part: Partial<TestForm>): void => setForm((before) => ({ ...before, ...part }));
  const fields = { form, problems, agentId, onChange: change };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (own.length === 0) mutate();
  };
  return (
    <form className="card" onSubmit={submit}>
      {error === null ? null : <FailureNote doing="The test was not saved" error={error} />}
      <TextField label="Name" value={form.name} problem={problems["name"]} onChange={(name) => change({ name })} />
      {test === null ? (
        <SelectField
          label="Kind"
          value={form.test_type}
          choices={Object.entries(types).map(([value, label]) => ({ value: value as TestForm["test_type"], label }))}
          onChange={(test_type) => change({ test_type })}
        />
      ) : (
        <p className="soft">{types[test.test_type]}</p>
      )}
      {form.test_type === "next_reply" ? <ReplyFields {...fields} /> : null}
      {form.test_type === "tool" ? <ToolFields {...fields} /> : null}
      {form.test_type === "simulation" ? <SimulationFields {...fields} /> : null}
      <div className="actions">
        <button type="submit" className="button" disabled={isPending}>
          {test === null ? "Create the test" : "Save"}
        </button>
        <span role="status">{isSuccess && test !== null ? "Saved." : ""}</span>
      </div>
    </form>
  );
}
