import type { Clock } from "#common/clock";
import type { ConversationPlan } from "#protocol/bus/conversation";
import { systemValues } from "../prompt/variables.js";
import { type CallClient, callClientTool } from "./client-call.js";
import { type NamedTool, namedTools, TRANSFER_TOOL } from "./named-tools.js";
import { completed, failed, type UntimedResult } from "./results.js";
import type { ToolRunner } from "./tool-runner.js";
import { callWebhook, type WebhookDependencies } from "./webhook-call.js";

export interface ToolsOptions extends WebhookDependencies {
  plan: ConversationPlan;
  clock: Clock;
  callClient: CallClient;
  /** Runs `transfer_call`; absent where nobody can be transferred. */
  transfer?: (args: Readonly<Record<string, unknown>>, signal: AbortSignal) => Promise<UntimedResult>;
}

/** The tools of one conversation, ready to be called; system values are those of the session's start. */
export function openTools(options: ToolsOptions): ToolRunner {
  const { plan, clock } = options;
  const log = options.log.child({ sessionId: plan.sessionId });
  const tools = namedTools(plan);
  const system = systemValues(plan);

  const run = async (
    callId: string,
    named: NamedTool,
    args: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<UntimedResult> => {
    if (signal.aborted) return failed("The call was cancelled");
    if (named.kind === "builtin" && named.name === TRANSFER_TOOL)
      return (await options.transfer?.(args, signal)) ?? failed("Calls cannot be transferred here");
    // The dialogue ends the call itself.
    if (named.kind === "builtin") return completed(null);
    switch (named.tool.toolType) {
      case "webhook":
        return await callWebhook({ ...options, log }, named, args, system, signal);
      case "client":
        return await callClientTool(options, named, { callId, args }, signal);
      case "integration":
        return failed("This tool belongs to a connected service, which is not available on this server");
    }
  };

  return {
    async call(callId, name, args, signal) {
      const startedMs = clock.nowMs();
      const named = tools.get(name);
      const result =
        named === undefined
          ? failed("There is no tool of this name")
          : await run(callId, named, args, signal).catch((error: unknown) => {
              const toolId = named.kind === "attached" ? named.tool.id : name;
              log.error({ toolId, error: error instanceof Error ? error.name : "unknown" }, "a tool could not be run");
              return failed("The tool failed");
            });
      return { ...result, latencyMs: Math.round(clock.nowMs() - startedMs) };
    },
  };
}
