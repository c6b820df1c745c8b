import { and, eq, or, type SQL, sql } from "drizzle-orm";
import type { Sealer } from "#common/secrets/sealer";
import { agentConfig, type AgentConfig } from "#protocol/agents/config";
import type { Db } from "../database/database.js";
import { newestFirst } from "../http/paging.js";
import type { WebhookEndpoint } from "../webhooks/enqueue.js";
import type { Attachments } from "./attachables.js";
import { secretBox } from "#common/secrets/secret-box";
import { isAgentId, ownedAgent } from "./store.js";
import { agents, agentVersions } from "./tables.js";

/*
 * What other parts of the control plane ask of the agents' configurations. `step` may be a transaction. Whoever deletes
 * what is asked about locks it first: a draft that takes it up meanwhile holds the same row (`Attachables`).
 */

/** An agent that refers to something. */
export interface DependentAgent {
  agent_id: string;
  name: string;
}

const draftToolIds = sql`(${agents.draft} -> 'tools' -> 'tool_ids')`;
const draftSourceIds = sql`(${agents.draft} -> 'knowledge_base' -> 'knowledge_source_ids')`;
const liveSourceIds = sql`(${agentVersions.config} -> 'knowledge_base' -> 'knowledge_source_ids')`;
/** A list of ids contains one id when it contains the list of it (jsonb containment). */
const holds = (list: SQL, id: string): SQL => sql`${list} @> ${JSON.stringify([id])}::jsonb`;

/** Agents of the team whose draft refers to a tool, newest first. */
export async function draftsReferencingTool(tx: Db, teamId: string, toolId: string): Promise<DependentAgent[]> {
  return await tx
    .select({ agent_id: agents.id, name: agents.name })
    .from(agents)
    .where(and(eq(agents.teamId, teamId), holds(draftToolIds, toolId)))
    .orderBy(...newestFirst(agents));
}

/** How many drafts of the team refer to each of these tools; those with none are left out. */
export async function countDraftsByTool(
  tx: Db,
  teamId: string,
  toolIds: readonly string[],
): Promise<Map<string, number>> {
  if (toolIds.length === 0) return new Map();
  const wanted = or(...toolIds.map((id) => holds(draftToolIds, id)));
  const rows = await tx
    .select({ ids: sql<string[]>`${draftToolIds}` })
    .from(agents)
    .where(and(eq(agents.teamId, teamId), wanted));
  const counts = new Map<string, number>();
  for (const id of rows.flatMap((row) => row.ids)) if (toolIds.includes(id)) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

/** Tools of an agent's draft, in its order; null where the team has no such agent. */
export async function toolsOfDraft(tx: Db, teamId: string, agentId: string): Promise<string[] | null> {
  if (!isAgentId(agentId)) return null;
  const [row] = await tx
    .select({ ids: sql<string[]>`${draftToolIds}` })
    .from(agents)
    .where(ownedAgent(teamId, agentId));
  return row?.ids ?? null;
}

/** Agents of the team whose draft or live version refers to a knowledge source, newest first. */
export async function agentsReferencingKnowledge(tx: Db, teamId: string, sourceId: string): Promise<DependentAgent[]> {
  // One statement: between two, a publish could carry a reference from the draft, which drops it, to the live version.
  return await tx
    .select({ agent_id: agents.id, name: agents.name })
    .from(agents)
    .leftJoin(agentVersions, liveVersion)
    .where(and(eq(agents.teamId, teamId), or(holds(draftSourceIds, sourceId), holds(liveSourceIds, sourceId))))
    .orderBy(...newestFirst(agents));
}

const liveVersion = and(eq(agentVersions.agentId, agents.id), eq(agentVersions.versionNumber, agents.liveVersion));

/** What a session needs to know of an agent: its live configuration, secrets sealed (`secretBox` opens them). */
export interface LiveAgent {
  agentId: string;
  teamId: string;
  name: string;
  versionNumber: number;
  config: AgentConfig;
  configHash: string;
  /** The tools and knowledge that the version froze. */
  attachments: Attachments;
}

/** The live version of any team's agent; null where there is no such agent or it was never published. */
export async function liveAgent(tx: Db, agentId: string): Promise<LiveAgent | null> {
  if (!isAgentId(agentId)) return null;
  const [row] = await tx
    .select({ teamId: agents.teamId, name: agents.name, version: agentVersions })
    .from(agents)
    .innerJoin(agentVersions, liveVersion)
    .where(eq(agents.id, agentId));
  if (row === undefined) return null;
  const { versionNumber, configHash, attachments } = row.version;
  return {
    agentId,
    teamId: row.teamId,
    name: row.name,
    versionNumber,
    config: agentConfig.parse(row.version.config),
    configHash,
    attachments,
  };
}

/**
 * The post-call webhooks of a configuration with their secrets in the clear, as `enqueueWebhookEvent` takes them.
 * Throws SealError.
 */
export function webhookEndpointsOf(
  { agentId, config }: Pick<LiveAgent, "agentId" | "config">,
  sealer: Sealer,
): WebhookEndpoint[] {
  const secrets = secretBox(sealer, agentId);
  return config.webhooks.post_call.map(({ url, secret }) => ({
    url,
    secret: secret === null ? null : secrets.open(secret.sealed, "post_call"),
  }));
}

/** The post-call webhooks of an agent's live version; none where it has no version. Throws SealError. */
export async function publishedWebhookEndpoints(tx: Db, agentId: string, sealer: Sealer): Promise<WebhookEndpoint[]> {
  const live = await liveAgent(tx, agentId);
  return live === null ? [] : webhookEndpointsOf(live, sealer);
}
