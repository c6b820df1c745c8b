import { queryOptions } from "@tanstack/react-query";
import { ask } from "../api/request.js";
import { agentsKey } from "./agent-queries.js";

/** The names of the team's agents, the latest hundred of them, to choose from. */
export const agentNamesQuery = queryOptions({
  queryKey: [...agentsKey, "names"],
  queryFn: () => ask<{ agents: { agent_id: string; name: string }[] }>("GET", "/v1/agent/agents?page_size=100"),
});
