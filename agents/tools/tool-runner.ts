import type { ToolResult } from "../dialogue/input.js";

/** Runs the tools of one conversation. */
export interface ToolRunner {
  /**
   * Calls a tool by its function name with the model's arguments. Never rejects: whatever goes wrong is a failed
   * result. Resolves soon after `signal` fires.
   */
  call(callId: string, name: string, args: Record<string, unknown>, signal: AbortSignal): Promise<ToolResult>;
}
