import { type QueryClient, queryOptions } from "@tanstack/react-query";
import type { AgentEntity } from "#protocol/agents/agent";
import type { ConfigEntity } from "#protocol/agents/config";
import { ask } from "../api/request.js";

const AGENTS = "/v1/agent/agents";

/** Where what is known of agents is stored in the page; whatever is known of one agent stands below its key. */
export const agentsKey = ["agents"] as const;
export const agentKey = (agentId: string) => ["agent", agentId] as const;

/** Address of an agent, or of what lies below it. */
export const agentPath = (agentId: string, below = ""): string => `${AGENTS}/${encodeURIComponent(agentId)}${below}`;

/** The agent's record. */
export const agentQuery = (agentId: string) =>
  queryOptions({ queryKey: agentKey(agentId), queryFn: () => ask<AgentEntity>("GET", agentPath(agentId)) });

/** The agent's draft. */
export const draftQuery = (agentId: string) =>
  queryOptions({
    queryKey: [...agentKey(agentId), "draft"],
    queryFn: () => ask<ConfigEntity>("GET", agentPath(agentId, "/config")),
  });

/** Puts a draft that the server answered where pages read it. */
export function storeDraft(queries: QueryClient, draft: ConfigEntity): void {
  queries.setQueryData(draftQuery(draft.agent_id).queryKey, draft);
}

/** Puts an agent that the server answered where pages read it; lists ask again. */
export function storeAgent(queries: QueryClient, agent: AgentEntity): void {
  queries.setQueryData(agentQuery(agent.agent_id).queryKey, agent);
  void queries.invalidateQueries({ queryKey: agentsKey });
}
