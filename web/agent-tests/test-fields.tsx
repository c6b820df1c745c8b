import { useQuery } from "@tanstack/react-query";
import type { TestEntity } from "#protocol/agents/tests";
import { ask } from "../api/request.js";
import { ListField } from "../parts/list-field.js";
import { SelectField } from "../parts/select-field.js";
import { SwitchField } from "../parts/switch-field.js";
import { TextField } from "../parts/text-field.js";
import { NamedTexts } from "./named-texts.js";
import type { TestForm } from "./test-form.js";

export interface TestFieldsProps {
  form: TestForm;
  problems: Record<string, string>;
  /** Whose tools the test may name; null for no agent. */
  agentId: string | null;
  onChange: (change: Partial<TestForm>) => void;
}

/** What a test of one reply has. */
export function ReplyFields(props: TestFieldsProps) {
  const { form, problems, onChange } = props;
  return (
    <>
      <Messages {...props} />
      <TextField
        label="Expectation"
        help="What a good reply does, for the judge."
        lines={3}
        value={form.expectation}
        problem={problems["expectation"]}
        onChange={(expectation) => onChange({ expectation })}
      />
      <Examples
        label="Good replies"
        noun="good reply"
        texts={form.success_examples}
        problem={problems["success_examples"]}
        onChange={(success_examples) => onChange({ success_examples })}
      />
      <Examples
        label="Bad replies"
        noun="bad reply"
        texts={form.failure_examples}
        problem={problems["failure_examples"]}
        onChange={(failure_examples) => onChange({ failure_examples })}
      />
    </>
  );
}

/** What a test of a tool's call has. */
export function ToolFields(props: TestFieldsProps) {
  const { form, problems, agentId, onChange } = props;
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
      <Messages {...props} />
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
        <NamedTexts
          label="Arguments that the call must have"
          help='Numbers, true and false are meant as such; "2" in quotes is a text.'
          noun="argument"
          textLabel="Value"
          problem={problems["tool_parameters"]}
          items={form.tool_parameters.map(({ name, value }) => ({ name, text: value }))}
          onChange={(items) => onChange({ tool_parameters: items.map(({ name, text }) => ({ name, value: text })) })}
        />
      )}
    </>
  );
}

/** The conversation that the agent is to answer. */
function Messages({ form, problems, onChange }: TestFieldsProps) {
  const messages = form.conversation;
  return (
    <ListField
      label="Conversation so far"
      help="The agent answers the last message."
      noun="message"
      problem={problems["conversation"]}
      items={messages}
      newItem={() => ({ role: messages.at(-1)?.role === "user" ? ("agent" as const) : ("user" as const), text: "" })}
      onChange={(conversation) => onChange({ conversation })}
    >
      {(message, change, index) => (
        <div className="row">
          <SelectField
            label={`Speaker ${index + 1}`}
            value={message.role}
            choices={[
              { value: "user", label: "Caller" },
              { value: "agent", label: "Agent" },
            ]}
            onChange={(role) => change({ role })}
          />
          <TextField
            label={`Words ${index + 1}`}
            value={message.text}
            lines={2}
            onChange={(text) => change({ text })}
          />
        </div>
      )}
    </ListField>
  );
}

interface ExamplesProps {
  label: string;
  noun: string;
  texts: readonly string[];
  problem: string | undefined;
  onChange: (texts: string[]) => void;
}

function Examples({ label, noun, texts, problem, onChange }: ExamplesProps) {
  return (
    <ListField
      label={label}
      help="Examples for the judge."
      {...{ noun, problem }}
      items={texts.map((text) => ({ text }))}
      newItem={() => ({ text: "" })}
      onChange={(items) => onChange(items.map(({ text }) => text))}
    >
      {({ text }, change, index) => (
        <TextField
          label={`${noun.charAt(0).toUpperCase()}${noun.slice(1)} ${index + 1}`}
          lines={2}
          value={text}
          onChange={(changed) => change({ text: changed })}
        />
      )}
    </ListField>
  );
}
