import type { TestEntity } from "#protocol/agents/tests";
import type { Problem } from "../api/request.js";

type Simulation = NonNullable<TestEntity["simulation"]>;

/** A test as the form has it. */
export interface TestForm {
  name: string;
  test_type: TestEntity["test_type"];
  conversation: TestEntity["conversation"];
  expectation: string;
  success_examples: string[];
  failure_examples: string[];
  referenced_tool: TestEntity["referenced_tool"];
  tool_parameters: { name: string; value: string }[];
  verify_absence: boolean;
  scenario: string;
  success_conditions: Simulation["success_conditions"];
  max_turns: number | null;
  repeat_count: number | null;
  /** `any` is not asserted. */
  ended_by: NonNullable<Simulation["assertions"]["ended_by"]> | "any";
  /** As JSON: few tests have them, and they are long. */
  tool_calls: string;
  forbidden_tools: string;
  mock_strategy: Simulation["tool_mocks"]["strategy"];
  mock_tools: string;
}

/** What the form shows for a new test. */
export const newTest: TestForm = {
  ...{ name: "", test_type: "next_reply", conversation: [{ role: "user", text: "" }], expectation: "" },
  ...{ success_examples: [], failure_examples: [], referenced_tool: null, tool_parameters: [], verify_absence: false },
  ...{ scenario: "", success_conditions: [], max_turns: 10, repeat_count: 1, ended_by: "any" },
  ...{ tool_calls: "[]", forbidden_tools: "[]", mock_strategy: "all", mock_tools: "[]" },
};

/** What the form shows for a test that is there. */
export function formOf(test: TestEntity): TestForm {
  const { simulation } = test;
  return {
    ...newTest,
    ...{ name: test.name, test_type: test.test_type, conversation: test.conversation, expectation: test.expectation },
    ...{ success_examples: test.success_examples, failure_examples: test.failure_examples },
    ...{ referenced_tool: test.referenced_tool, verify_absence: test.verify_absence },
    tool_parameters: test.tool_parameters.map(({ name, value }) => ({ name, value: valueText(value) })),
    ...(simulation === null
      ? {}
      : {
          scenario: simulation.scenario,
          success_conditions: simulation.success_conditions,
          max_turns: simulation.max_turns,
          repeat_count: simulation.repeat_count,
          ended_by: simulation.assertions.ended_by ?? "any",
          tool_calls: JSON.stringify(simulation.assertions.tool_calls, null, 2),
          forbidden_tools: JSON.stringify(simulation.assertions.forbidden_tools, null, 2),
          mock_strategy: simulation.tool_mocks.strategy,
          mock_tools: JSON.stringify(simulation.tool_mocks.tools, null, 2),
        }),
  };
}

/** Text that looks like a number or a boolean stands in quotes, as in JSON. */
function valueText(value: string | number | boolean): string {
  return typeof value === "string" && scalarOf(value) === value ? value : JSON.stringify(value);
}

/** A number, a boolean or a text in quotes, as in JSON; else the text as it is. */
function scalarOf(text: string): string | number | boolean {
  const parsed = parseJson(text);
  return typeof parsed === "string" || typeof parsed === "number" || typeof parsed === "boolean" ? parsed : text;
}

/** Undefined for what is no JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Fields of the form that hold JSON. */
const jsonFields = ["tool_calls", "forbidden_tools", "mock_tools"] as const;

/** What the form can tell is wrong without asking: JSON that is none. */
export function problemsOf(form: TestForm): Problem[] {
  if (form.test_type !== "simulation") return [];
  return jsonFields
    .filter((field) => !Array.isArray(parseJson(form[field])))
    .map((field) => ({ path: [field], message: "This is no JSON list" }));
}

/** The body that creates or changes the test. The type of a test that is there cannot be changed. */
export function bodyOf(form: TestForm, isNew: boolean): object {
  return {
    name: form.name,
    ...(isNew ? { test_type: form.test_type } : {}),
    ...(form.test_type === "simulation" ? { simulation: simulationOf(form) } : scriptedOf(form)),
  };
}

function scriptedOf(form: TestForm): object {
  const { conversation, expectation, success_examples, failure_examples } = form;
  if (form.test_type === "next_reply") return { conversation, expectation, success_examples, failure_examples };
  const { referenced_tool, verify_absence } = form;
  const tool_parameters = form.tool_parameters.map(({ name, value }) => ({ name, value: scalarOf(value) }));
  return { conversation, referenced_tool, tool_parameters, verify_absence };
}

function simulationOf(form: TestForm): object {
  const { scenario, success_conditions, max_turns, repeat_count, ended_by, mock_strategy } = form;
  return {
    ...{ scenario, success_conditions, max_turns, repeat_count },
    assertions: {
      tool_calls: parseJson(form.tool_calls),
      forbidden_tools: parseJson(form.forbidden_tools),
      ended_by: ended_by === "any" ? null : ended_by,
    },
    tool_mocks: { strategy: mock_strategy, tools: parseJson(form.mock_tools) },
  };
}

/** The form's field that each of the server's problems is about; those of no field stand under "". */
export function problemsByField(problems: readonly Problem[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { path, message } of problems) {
    const [first = "", second = "", third = ""] = path[0] === "simulation" ? path.slice(1) : path;
    const field =
      first === "assertions"
        ? second
        : first === "tool_mocks"
          ? second === "tools"
            ? "mock_tools"
            : "mock_strategy"
          : first;
    const place = /^\d+$/.test(second) && first === field ? `${Number(second) + 1}. ${third}: ` : "";
    const text = `${place}${message}`;
    found[field] = found[field] === undefined ? text : `${found[field]}; ${text}`;
  }
  return found;
}
