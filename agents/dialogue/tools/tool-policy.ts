import { readArguments } from "../../tools/read-arguments.js";
import type { ModelToolCall, ToolResult } from "../input.js";
import type { DialogueTool, ToolMode } from "../settings.js";

/** Background calls that may run at once. */
export const MAX_BACKGROUND_CALLS = 10;

/** Rounds of tool calls in one turn. */
export const MAX_ROUNDS = 8;

/** Waiting for tools without a word after which the agent says that it takes a moment. */
export const FILLER_AFTER_MS = 1500;

export const failedResult = (error: string): ToolResult => ({
  status: "failed",
  output: null,
  isOutputTruncated: false,
  error,
  latencyMs: null,
});

export const completedResult = (output: string): ToolResult => ({
  status: "completed",
  output,
  isOutputTruncated: false,
  error: null,
  latencyMs: null,
});

/** Why a call cannot be made, for the model; null when it can. */
export function refusalOf(call: ModelToolCall, tool: DialogueTool | undefined): string | null {
  if (tool === undefined) return `there is no tool "${call.name}"`;
  return readArguments(call.arguments).ok ? null : "the arguments are not a JSON object";
}

/** How a call's result comes back. A call that cannot be made fails like a blocking one, so that the model sees it. */
export function modeOfCall(call: ModelToolCall, tool: DialogueTool | undefined): ToolMode {
  return tool === undefined || refusalOf(call, tool) !== null ? "blocking" : tool.mode;
}

/** What the model reads in place of a result as long as there is none. */
export function placeholderOf(mode: ToolMode): ToolResult {
  if (mode === "fire_and_forget") return completedResult("started");
  if (mode === "background")
    return completedResult("The tool is running in the background; its result will come later.");
  return completedResult("The tool is still running; its result is not known yet.");
}
