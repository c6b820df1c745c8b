import { useQuery } from "@tanstack/react-query";
import type { TestEntity } from "#protocol/agents/tests";
import { ask } from "../api/request.js";
import { SelectField } from "../parts/select-field.js";
import { SwitchField } from "../parts/switch-field.js";
import { TextField } from "../parts/text-field.js";
import { TextRows } from "../parts/text-rows.js";
import { MessageRows } from "./message-rows.js";
import { PairRows } from "./pair-rows.js";
import type { TestForm } from "./test-form.js";

export interface TestFieldsProps {
  form: TestForm;
  problems: Record<string, string>;
  /** Whose tools the test may name; null for no agent. */
  agentId: string | null;
  onChange: (change: Partial<TestForm>) => void;
}

/** What a test of one reply has. */
export function ReplyFields({ form, problems, onChange }: TestFieldsProps) {
  return (
    <>
      <MessageRows
        messages={form.conversation}
        problem={problems["conversation"]}
        onChange={(conversation) => onChange({ conversation })}
      />
      <TextField
        label="Expectation"
        help="What a good reply does, for the judge."
        lines={3}
        value={form.expectation}
        problem={problems["expectation"]}
        onChange={(expectation) => onChange({ expectation })}
      />
      <TextRows
        label="Good replies"
        rowLabel="Good reply"
        help="Examples for the judge."
        values={form.success_examples}
        problem={problems["success_examples"]}
        onChange={(success_examples) => onChange({ success_examples })}
      />
      <TextRows
        label="Bad replies"
        rowLabel="Bad reply"
        help="Examples for the judge."
        values={form.failure_examples}
        problem={problems["failure_examples"]}
        onChange={(failure_examples) => onChange({ failure_examples })}
      />
    </>
  );
}

/** What a test of a tool's call has. */
export function ToolFields({ form, problems, agentId, onChange }: TestFieldsProps) {
  const { data } = useQuery({
    queryKey: ["agents", agentId, "test-tools"],
    queryFn: () =>
      ask<{ tools: NonNullable<TestEntity["referenced_tool"]>[] }>("GET", `/v1/agent/agents/${agentId}/test-tools`),
    enabled: agentId !== null,
  });
  const chosen = form.referenced_tool;
  const known = data?.tools ?? [];
  const tools = chosen === null || known.some(({ id }) => id === chosen.id) ? known : [chosen, ...known];
  return (
    <>
      <MessageRows
        messages={form.conversation}
        problem={problems["conversation"]}
        onChange={(conversation) => onChange({ conversation })}
      />
      <SelectField
        label="Tool"
        help="One of the tools of the agent that the test is attached to."
        problem={problems["referenced_tool"]}
        value={chosen?.id ?? ""}
        choices={[
          { value: "", label: "None chosen" },
          ...tools.map(({ id, name }) => ({ value: id, label: name === "" ? id : name })),
        ]}
        onChange={(id) => onChange({ referenced_tool: tools.find((tool) => tool.id === id) ?? null })}
      />
      <SwitchField
        label="The tool must not be called"
        isOn={form.verify_absence}
        onChange={(verify_absence) => onChange({ verify_absence })}
      />
      {form.verify_absence ? null : (
        <PairRows
          label="Arguments that the call must have"
          help='Numbers, true and false are meant as such; "2" in quotes is a text.'
          rowName="argument"
          valueLabel="Value"
          problem={problems["tool_parameters"]}
          pairs={form.tool_parameters.map(({ name, value }) => [name, value] as const)}
          onChange={(pairs) => onChange({ tool_parameters: pairs.map(([name, value]) => ({ name, value })) })}
        />
      )}
    </>
  );
}
