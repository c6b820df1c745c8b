import type { AgentEntity } from "#protocol/agents/agent";
import { CommandError } from "../command.js";
import { answerOf, listAll, type PublicApi } from "../public-api.js";

const AGENTS = "/v1/agent/agents";

/** The team's agents that are not archived, newest first; with `search`, those with it in name or description. */
export async function listAgents(api: PublicApi, search = ""): Promise<AgentEntity[]> {
  return await listAll<AgentEntity>(api, AGENTS, "agents", { search });
}

/** The agent with this id, or the only one with this name. Throws CommandError where there is none, or several. */
export async function findAgent(api: PublicApi, idOrName: string): Promise<AgentEntity> {
  if (/^[0-9a-f]{32}$/.test(idOrName)) {
    const response = await api.send("GET", `${AGENTS}/${idOrName}`);
    if (response.status !== 404) return await answerOf<AgentEntity>(response);
  }
  return chooseByName(await listAgents(api, idOrName), idOrName);
}

/**
 * The only agent of that name; letters of the other case count where none has it exactly. Throws CommandError where
 * there is none, or several.
 */
export function chooseByName(agents: readonly AgentEntity[], name: string): AgentEntity {
  const exact = agents.filter((agent) => agent.name === name);
  const named = exact.length > 0 ? exact : agents.filter((agent) => agent.name.toLowerCase() === name.toLowerCase());
  const [only, ...others] = named;
  if (only === undefined)
    throw new CommandError(`there is no agent "${name}"; parley agents list shows those there are`);
  if (others.length > 0)
    throw new CommandError(
      `${named.length} agents are named "${name}"; say which by its id:\n${named.map((agent) => `  ${agent.agent_id}`).join("\n")}`,
    );
  return only;
}
