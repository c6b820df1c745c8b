import { describe, expect, it } from "vitest";
import { testCreate, testEntity } from "#protocol/agents/tests";
import { bodyOf, formOf, newTest, problemsByField, problemsOf, type TestForm } from "./test-form.js";

/** The form that shows what the server made of a body. */
function shown(body: object): TestForm {
  const now = "2026-01-01T00:00:00Z";
  const read = { test_id: "t", workspace_id: "w", agent_ids: [], created_at: now, updated_at: now };
  const { agent_ids: _ids, ...definition } = testCreate.parse(body);
  return formOf(testEntity.parse({ ...definition, ...read }));
}

const tool = { id: "t", name: "book", type: "webhook" as const, description: "" };

describe("the form of a test", () => {
  it.each<[string, Partial<TestForm>]>([
    ["a reply", { conversation: [{ role: "user", text: "Hello" }], expectation: "Greets.", success_examples: ["Hi"] }],
    [
      "a tool",
      {
        test_type: "tool",
        conversation: [{ role: "agent", text: "When?" }],
        referenced_tool: tool,
        tool_parameters: [
          { name: "count", value: "2" },
          { name: "text", value: '"2"' },
          { name: "day", value: "Monday" },
        ],
        verify_absence: true,
      },
    ],
    [
      "a simulation",
      {
        test_type: "simulation",
        conversation: [],
        scenario: "You want a table.",
        success_conditions: [{ name: "polite", description: "" }],
        max_turns: 4,
        repeat_count: 2,
        ended_by: "agent",
        forbidden_tools: JSON.stringify([tool], null, 2),
        mock_strategy: "none",
      },
    ],
  ])("sends %s so that the same stands in it afterwards", (_, change) => {
    const form = { ...newTest, name: "A test", ...change };
    expect(problemsOf(form)).toEqual([]);
    expect(shown(bodyOf(form, true))).toEqual(form);
  });

  it("gives parameters the type that they look like", () => {
    const form = { ...newTest, test_type: "tool" as const, tool_parameters: [{ name: "a", value: "true" }] };
    expect(bodyOf(form, false)).toMatchObject({ tool_parameters: [{ name: "a", value: true }] });
  });

  it("sends no type for a test that is there, and no field of another type", () => {
    expect(Object.keys(bodyOf(newTest, false))).toEqual([
      "name",
      "conversation",
      "expectation",
      "success_examples",
      "failure_examples",
    ]);
  });

  it("knows a list that is none", () => {
    const form = { ...newTest, test_type: "simulation" as const, tool_calls: "[", forbidden_tools: "{}" };
    expect(problemsOf(form).map(({ path }) => path[0])).toEqual(["tool_calls", "forbidden_tools"]);
    expect(problemsOf({ ...form, test_type: "next_reply" })).toEqual([]);
  });

  it("shows each of the server's problems at its field", () => {
    const problem = (...path: string[]) => ({ path, message: "is wrong" });
    const problems = [
      problem("name"),
      problem("conversation", "1", "text"),
      problem("simulation", "scenario"),
      problem("simulation", "assertions", "tool_calls", "0", "tool"),
      problem("simulation", "tool_mocks", "tools"),
      problem(),
    ];
    expect(problemsByField(problems)).toEqual({
      name: "is wrong",
      conversation: "2. text: is wrong",
      scenario: "is wrong",
      tool_calls: "is wrong",
      mock_tools: "is wrong",
      "": "is wrong",
    });
  });
});
