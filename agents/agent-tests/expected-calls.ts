import type { AssertionResult } from "#protocol/agents/test-runs";
import type { TestDefinition } from "#protocol/agents/tests";
import { isMeant, nameOf, type TestedTool, type TestToolReference } from "./named-tool.js";

/** A call that the model made. */
export interface MadeCall {
  tool: TestedTool;
  input: Readonly<Record<string, unknown>>;
}

type Parameters = TestDefinition["tool_parameters"];
type Simulation = NonNullable<TestDefinition["simulation"]>;

/** Whether a call had the parameters, with these values; it may have had others besides. Pure. */
export function hasParameters(input: Readonly<Record<string, unknown>>, expected: Parameters): boolean {
  return expected.every(({ name, value }) => Object.hasOwn(input, name) && isSame(value, input[name]));
}

/** Models write numbers and booleans as text or not, as the tool's arguments say; the difference is none here. */
function isSame(expected: string | number | boolean, given: unknown): boolean {
  if (typeof expected === "number") return expected === given || (isText(given) && Number(given) === expected);
  if (typeof expected === "boolean") return expected === given || given === String(expected);
  return ["string", "number", "boolean"].includes(typeof given) && plain(String(given)) === plain(expected);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

function plain(text: string): string {
  return text.normalize("NFC").trim();
}

/** What a test of a tool found: whether it passed, and why. Decided without a model. Pure. */
export function judgeToolTest(
  test: { tool: TestToolReference; parameters: Parameters; mustBeAbsent: boolean },
  calls: readonly MadeCall[],
): { passed: boolean; reasoning: string } {
  const { tool, parameters, mustBeAbsent } = test;
  const name = nameOf(tool);
  const ofTool = calls.filter((call) => isMeant(tool, call.tool));
  const matching = ofTool.filter(({ input }) => hasParameters(input, parameters));
  const withParameters = parameters.length === 0 ? "" : " with the expected parameters";
  if (mustBeAbsent) {
    const passed = matching.length === 0;
    return { passed, reasoning: `${name} was ${passed ? "not " : ""}called${withParameters}; it must not be.` };
  }
  if (matching.length > 0) return { passed: true, reasoning: `${name} was called${withParameters}.` };
  if (ofTool.length > 0)
    return {
      passed: false,
      reasoning: `${name} was called with other parameters: ${ofTool.map(({ input }) => JSON.stringify(input)).join(", ")}`,
    };
  const others = [...new Set(calls.map((call) => call.tool.functionName))];
  return {
    passed: false,
    reasoning: `${name} was not called${others.length === 0 ? "" : `; called: ${others.join(", ")}`}.`,
  };
}

/** Checks what a simulation asserts. Decided without a model. Pure. */
export function checkAssertions(
  { tool_calls: expected, forbidden_tools: forbidden, ended_by: ending }: Simulation["assertions"],
  calls: readonly MadeCall[],
  endedBy: string,
): AssertionResult[] {
  const callsOf = (tool: TestToolReference): MadeCall[] => calls.filter((call) => isMeant(tool, call.tool));
  return [
    ...expected.map(({ tool, params, min_calls: min, max_calls: max }): AssertionResult => {
      const all = callsOf(tool);
      const count = all.filter(({ input }) => hasParameters(input, params)).length;
      const others = all.length === count ? "" : `, and ${all.length - count} times with other parameters`;
      return {
        ...{ kind: "tool_call", ...targetOf(tool), passed: count >= min && count <= max },
        detail: `called ${count} times${others}; expected ${min} to ${max}`,
      };
    }),
    ...forbidden.map((tool): AssertionResult => {
      const count = callsOf(tool).length;
      return { kind: "forbidden_tool", ...targetOf(tool), passed: count === 0, detail: `called ${count} times` };
    }),
    ...(ending === null
      ? []
      : [
          {
            ...({ kind: "ended_by", target: ending, tool_id: null, tool_type: null } as const),
            ...{ passed: endedBy === ending, detail: `ended by ${endedBy}` },
          },
        ]),
  ];
}

function targetOf(tool: TestToolReference): Pick<AssertionResult, "target" | "tool_id" | "tool_type"> {
  return { target: nameOf(tool), tool_id: tool.id, tool_type: tool.type === "system" ? null : tool.type };
}
