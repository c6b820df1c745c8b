import { agentConfig } from "#protocol/agents/config";
import { ServiceError } from "#protocol/errors";
import type { Attachments } from "../agents/attachables.js";
import { configHash } from "../agents/config/config-hash.js";
import { freezeAttachments } from "../agents/draft.js";
import type { AgentRow } from "../agents/tables.js";
import { findVersion } from "../agents/versions.js";
import type { SessionContext } from "./context.js";

/** A configuration as one session runs it. */
export interface FrozenConfig {
  versionNumber: number;
  configHash: string;
  config: ReturnType<typeof agentConfig.parse>;
  attachments: Attachments;
}

/** The live version, or for a preview the draft as it is now. Throws `agent_not_published`. */
export async function frozenConfig(
  { db, attachables }: Pick<SessionContext, "db" | "attachables">,
  agent: AgentRow,
  isPreview: boolean,
): Promise<FrozenConfig> {
  if (isPreview) {
    const config = agentConfig.parse(agent.draft);
    const attachments = await freezeAttachments(db, attachables, agent.teamId, config);
    return { versionNumber: 0, configHash: configHash(config, attachments), config, attachments };
  }
  const version = agent.liveVersion === 0 ? null : await findVersion(db, agent.id, agent.liveVersion);
  if (version === null) throw new ServiceError("agent_not_published");
  const { versionNumber, attachments } = version;
  return { versionNumber, configHash: version.configHash, config: agentConfig.parse(version.config), attachments };
}
