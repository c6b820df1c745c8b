import { agentConfig, type ConfigEntity } from "#protocol/agents/config";
import { ServiceError } from "#protocol/errors";
import { type DraftDependencies, draftEntity } from "./draft.js";
import { lockAgent, ownedAgent } from "./store.js";
import { agents } from "./tables.js";
import { findVersion } from "./versions.js";

/**
 * Makes the draft what a version froze. Its secrets are sealed for the agent, so they stay as they are. What was
 * deleted since cannot be referred to and is left out. Takes turns with every change of the agent. Throws `not_found`.
 */
export async function restoreVersion(
  { db, attachables, now }: DraftDependencies,
  owner: { teamId: string; agentId: string },
  versionNumber: number,
): Promise<ConfigEntity> {
  const { teamId, agentId } = owner;
  return await db.transaction(async (tx) => {
    const agent = await lockAgent(tx, teamId, agentId);
    const version = await findVersion(tx, agentId, versionNumber);
    if (version === null) throw new ServiceError("not_found");
    const config = agentConfig.parse(version.config);
    const { tools, knowledge_base: knowledge } = config;
    const heldTools = await attachables.tools.hold(tx, teamId, tools.tool_ids);
    const heldSources = await attachables.knowledge.hold(tx, teamId, knowledge.knowledge_source_ids);
    const draft = {
      ...config,
      tools: { ...tools, tool_ids: tools.tool_ids.filter((id) => heldTools.has(id)) },
      knowledge_base: {
        ...knowledge,
        knowledge_source_ids: knowledge.knowledge_source_ids.filter((id) => heldSources.has(id)),
      },
    };
    const draftUpdatedAt = now();
    await tx.update(agents).set({ draft, draftUpdatedAt }).where(ownedAgent(teamId, agentId));
    return await draftEntity(tx, attachables, { ...agent, draft, draftUpdatedAt });
  });
}
