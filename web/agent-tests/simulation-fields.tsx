import { NumberField } from "../parts/number-field.js";
import { SelectField } from "../parts/select-field.js";
import { TextField } from "../parts/text-field.js";
import { NamedTexts } from "./named-texts.js";
import type { TestFieldsProps } from "./test-fields.js";
import type { TestForm } from "./test-form.js";

const endings: Readonly<Record<TestForm["ended_by"], string>> = {
  any: "Does not matter",
  agent: "The agent hangs up",
  user: "The caller hangs up",
  transfer: "The call is transferred",
  max_turns: "It has as many turns as it may",
  timeout: "It takes too long",
  error: "It fails",
};

/** What a simulated conversation has. */
export function SimulationFields({ form, problems, onChange }: TestFieldsProps) {
  return (
    <>
      <TextField
        label="Scenario"
        help="Who the caller is and what the caller wants, told to the model that plays the part."
        lines={5}
        value={form.scenario}
        problem={problems["scenario"]}
        onChange={(scenario) => onChange({ scenario })}
      />
      <NamedTexts
        label="Conditions of success"
        help="Each is judged at the end."
        noun="condition"
        textLabel="Description"
        problem={problems["success_conditions"]}
        items={form.success_conditions.map(({ name, description }) => ({ name, text: description }))}
        onChange={(items) =>
          onChange({ success_conditions: items.map(({ name, text }) => ({ name, description: text })) })
        }
      />
      <NumberField
        label="Turns at most"
        value={form.max_turns}
        problem={problems["max_turns"]}
        onChange={(max_turns) => onChange({ max_turns })}
      />
      <NumberField
        label="Runs each time"
        help="Models do not answer alike each time."
        value={form.repeat_count}
        problem={problems["repeat_count"]}
        onChange={(repeat_count) => onChange({ repeat_count })}
      />
      <SelectField
        label="How it must end"
        value={form.ended_by}
        choices={Object.entries(endings).map(([value, label]) => ({ value: value as TestForm["ended_by"], label }))}
        problem={problems["ended_by"]}
        onChange={(ended_by) => onChange({ ended_by })}
      />
      <SelectField
        label="Tools are answered"
        value={form.mock_strategy}
        choices={[
          { value: "all", label: "by made-up answers, all of them" },
          { value: "selected", label: "by made-up answers, those listed below" },
          { value: "none", label: "by their endpoints" },
        ]}
        problem={problems["mock_strategy"]}
        onChange={(mock_strategy) => onChange({ mock_strategy })}
      />
      <details>
        <summary>Expected and forbidden calls, made-up answers (JSON)</summary>
        <TextField
          label="Calls that must happen"
          help="A list of objects with tool, params, min_calls and max_calls."
          lines={4}
          value={form.tool_calls}
          problem={problems["tool_calls"]}
          onChange={(tool_calls) => onChange({ tool_calls })}
        />
        <TextField
          label="Tools that must not be called"
          help="A list of tools: objects with id, name and type."
          lines={4}
          value={form.forbidden_tools}
          problem={problems["forbidden_tools"]}
          onChange={(forbidden_tools) => onChange({ forbidden_tools })}
        />
        <TextField
          label="Made-up answers"
          help="A list of objects with tool and result."
          lines={4}
          value={form.mock_tools}
          problem={problems["mock_tools"]}
          onChange={(mock_tools) => onChange({ mock_tools })}
        />
      </details>
    </>
  );
}
