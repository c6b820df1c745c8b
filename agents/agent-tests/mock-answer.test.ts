import { describe, expect, it } from "vitest";
import { mockAnswer, type ToolMocks } from "./mock-answer.js";

const tool = { functionName: "find", id: "t1", type: "webhook" as const, name: "Find" };
const prepared = (id: string, result: string) => ({
  tool: { id, name: "", type: "webhook" as const, description: "" },
  result,
});
const madeUp = (status: number) => [{ name: "m", status_code: status, content_type: "text/plain", body: "made up" }];
const decide = (
  mocks: ToolMocks,
  { calls = 0, mocked = false, status = 200, hides = false, type = "webhook" as "webhook" | "client" } = {},
) =>
  mockAnswer(
    mocks,
    { ...tool, type },
    { mock_responses: mocked ? madeUp(status) : [], error_handling: hides ? "hide" : "passthrough" },
    calls,
  );

describe("what answers a call", () => {
  const one: ToolMocks = { strategy: "all", tools: [prepared("t1", "first")] };
  const two: ToolMocks = { strategy: "all", tools: [prepared("t1", "first"), prepared("t1", "second")] };
  const other: ToolMocks = { strategy: "all", tools: [prepared("t2", "x")] };
  const selected: ToolMocks = { ...other, strategy: "selected" };
  const off: ToolMocks = { ...one, strategy: "none" };

  it.each([
    ["the test's one answer, however often", decide(one, { calls: 7, mocked: true }), "test", "first"],
    ["the first of several", decide(two), "test", "first"],
    ["the second of several", decide(two, { calls: 1 }), "test", "second"],
    ["none is left of several", decide(two, { calls: 2, mocked: true }), "unmatched", null],
    ["the tool's own", decide(other, { mocked: true }), "tool", "made up"],
    ["nothing", decide(other), "missing", null],
    ["the test's, where tools are selected", decide({ ...one, strategy: "selected" }), "test", "first"],
  ])("%s", (_, decision, source, output) => {
    expect(decision).toMatchObject({ source, result: { output } });
  });

  it("is the endpoint for tools that are not mocked, and nobody for those that only a caller's program has", () => {
    expect(decide(selected, { mocked: true })).toEqual({ source: "real" });
    expect(decide(off, { mocked: true })).toEqual({ source: "real" });
    expect(decide(off, { type: "client" })).toMatchObject({ source: "missing" });
  });

  it("fails as the endpoint would, and tells the model as much of it", () => {
    expect(decide(other, { mocked: true, status: 404 })).toMatchObject({
      result: { status: "failed", error: "The endpoint answered with status 404", output: "made up" },
    });
    expect(decide(other, { mocked: true, status: 500, hides: true })).toMatchObject({
      result: { status: "failed", error: "The tool failed", output: null },
    });
  });
});
