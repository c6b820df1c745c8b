import type { TestDefinition } from "#protocol/agents/tests";
import type { ToolDefinition } from "#tools/definition";
import { completed, failed, type UntimedResult } from "../tools/results.js";
import { isMeant, type TestedTool } from "./named-tool.js";

export type ToolMocks = NonNullable<TestDefinition["simulation"]>["tool_mocks"];

/** Tests that are no simulations prepare no answers of their own; the tools' made-up answers serve them. */
export const noMocks: ToolMocks = { strategy: "all", tools: [] };

/** Where a call's answer comes from. */
export type MockDecision =
  | { source: "test" | "tool"; result: UntimedResult }
  /** Nothing was prepared; `unmatched`: the test's answers for this tool are used up. */
  | { source: "missing" | "unmatched"; result: UntimedResult }
  /** The tool itself is to be asked. */
  | { source: "real" };

/**
 * Decides what answers a call. The test's answers for the tool come first: a single one serves every call, several
 * serve one call each, in their order. Then, where the tool is mocked, the first of its own made-up answers.
 * `earlierCalls`: how often the tool was called before in this run. Pure.
 */
export function mockAnswer(
  mocks: ToolMocks,
  tool: TestedTool,
  definition: Pick<ToolDefinition, "mock_responses" | "error_handling">,
  earlierCalls: number,
): MockDecision {
  const own = mocks.strategy === "none" ? [] : mocks.tools.filter((mock) => isMeant(mock.tool, tool));
  const prepared = own.length === 1 ? own[0] : own[earlierCalls];
  if (prepared !== undefined) return { source: "test", result: completed(prepared.result) };
  if (own.length > 0) return { source: "unmatched", result: gap };
  if (mocks.strategy !== "all")
    return tool.type === "webhook" ? { source: "real" } : { source: "missing", result: gap };
  const [made] = definition.mock_responses;
  if (made === undefined) return { source: "missing", result: gap };
  return { source: "tool", result: resultOf(made.status_code, made.body, definition.error_handling === "hide") };
}

const gap = failed("No answer is prepared for this call");

/** As a real endpoint's answer is told to the model. */
function resultOf(status: number, body: string, hides: boolean): UntimedResult {
  if (status < 400) return completed(body);
  return hides ? failed("The tool failed") : failed(`The endpoint answered with status ${status}`, body);
}
