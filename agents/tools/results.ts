import type { ToolResult } from "../dialogue/input.js";

/** Longest output that the model is given, in UTF-16 units: some 2,000 tokens. */
const MAX_OUTPUT_CHARACTERS = 8000;

/** A result without the time that it took. */
export type UntimedResult = Omit<ToolResult, "latencyMs">;

export function completed(output: string | null, isCut = false): UntimedResult {
  return { status: "completed", ...bounded(output, isCut), error: null };
}

export function failed(error: string, output: string | null = null, isCut = false): UntimedResult {
  return { status: "failed", ...bounded(output, isCut), error };
}

function bounded(output: string | null, isCut: boolean): Pick<ToolResult, "output" | "isOutputTruncated"> {
  if (output === null || output.length <= MAX_OUTPUT_CHARACTERS) return { output, isOutputTruncated: isCut };
  const splitsPair = /[\ud800-\udbff]/.test(output.charAt(MAX_OUTPUT_CHARACTERS - 1));
  return { output: output.slice(0, MAX_OUTPUT_CHARACTERS - (splitsPair ? 1 : 0)), isOutputTruncated: true };
}
