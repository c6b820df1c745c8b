import { agentConfig, type AgentConfig } from "#protocol/agents/config";
import type { ConversationPlan, ConversationTool } from "#protocol/bus/conversation";
import type { ToolDefinition } from "#tools/definition";
import { webhook } from "#tools/testing/definition";

type Sections = { [Section in keyof AgentConfig]?: Partial<AgentConfig[Section]> };

/** A conversation's plan with the API's defaults; `config` changes single fields of its sections. */
export function planOf(
  change: Partial<Omit<ConversationPlan, "config">> & { config?: Sections } = {},
): ConversationPlan {
  const { config: sections = {}, ...rest } = change;
  const config = agentConfig.parse({});
  for (const [name, fields] of Object.entries(sections)) Object.assign(config[name as keyof AgentConfig], fields);
  return {
    sessionId: "session-1",
    teamId: "team-1",
    keyId: "key-1",
    agentId: "agent-1",
    agentName: "Ada",
    config,
    tools: [],
    knowledge: [],
    dynamicVariables: {},
    system: {},
    timezone: "",
    tellsWorldContext: true,
    llmExtraBody: null,
    sendsToolEvents: true,
    recordsAudio: false,
    room: { name: "room-1", callerIdentity: "caller", agentIdentity: "agent" },
    joinByEpochMs: 0,
    maxDurationMs: 1_800_000,
    createdAtEpochMs: Date.UTC(2026, 10, 22, 20, 17),
    ...rest,
  };
}

/** A tool of a plan, a webhook as a rule. */
export function toolOf(
  name: string,
  definition: Partial<ToolDefinition> = {},
  change: Partial<ConversationTool> = {},
): ConversationTool {
  return { id: `tool-${name}`, toolType: "webhook", name, definition: webhook(definition), secrets: {}, ...change };
}
