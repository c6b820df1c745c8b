import type { ConversationPlan } from "#protocol/bus/conversation";
import type { ToolDefinition } from "#tools/definition";
import { conversationPlan, type PlannedSession } from "../sessions/plan.js";
import type { FrozenTool } from "../tools/store.js";

/**
 * The plan that the runs of a batch share: as a session's, with every webhook tool `blocking`, since nothing happens
 * besides what is said, and with the tools' made-up answers. Pure.
 */
export function runPlan(
  given: Pick<PlannedSession, "teamId" | "agentId" | "agentName" | "config" | "tools" | "knowledge" | "now"> & {
    batchId: string;
  },
): ConversationPlan {
  const { batchId, ...session } = given;
  const plan = conversationPlan({
    ...session,
    sessionId: batchId,
    keyId: "",
    body: { agent_id: session.agentId },
    isVisitor: false,
    joinMs: 0,
    call: null,
  });
  return { ...plan, tools: plan.config.tools.enabled ? session.tools.map(toTestedTool) : [] };
}

function toTestedTool({ id, toolType, name, definition, secrets }: FrozenTool): ConversationPlan["tools"][number] {
  const tested: ToolDefinition =
    toolType === "webhook" ? { ...definition, execution_mode: "blocking" } : { ...definition, expects_response: true };
  return { id, toolType, name, definition: tested, secrets };
}
