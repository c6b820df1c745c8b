import { and, desc, eq, lt, type SQL, sql } from "drizzle-orm";
import { agentConfig } from "#protocol/agents/config";
import type { VersionDetail, VersionSummary } from "#protocol/agents/version";
import { ServiceError } from "#protocol/errors";
import type { Db } from "../database/database.js";
import type { Page } from "../http/paging.js";
import type { Attachables } from "./attachables.js";
import { toConfigEntity } from "./config/config-entity.js";
import { configHash } from "./config/config-hash.js";
import { freezeAttachments } from "./draft.js";
import { lockAgent, ownedAgent } from "./store.js";
import { agents, agentVersions, type VersionRow } from "./tables.js";

export interface PublishDependencies {
  db: Db;
  attachables: Attachables;
  /** Wall-clock time. */
  now: () => Date;
}

/**
 * Freezes the draft as the next version, which new sessions run; a draft that equals the live version gives that
 * version, unchanged. Publishing takes turns with every change of the agent, so a version is some draft as it was,
 * whole. Throws `not_found`, and `conflict` for an archived agent.
 */
export async function publishAgent(
  dependencies: PublishDependencies,
  owner: { teamId: string; agentId: string },
  label: { title: string | null; description: string | null },
): Promise<VersionSummary> {
  const { db, attachables, now } = dependencies;
  return await db.transaction(async (tx) => {
    const agent = await lockAgent(tx, owner.teamId, owner.agentId);
    if (agent.status === "archived")
      throw new ServiceError("conflict", { parameters: { detail: "Agent is archived" } });
    const config = agentConfig.parse(agent.draft);
    const attachments = await freezeAttachments(tx, attachables, owner.teamId, config);
    const hash = configHash(config, attachments);
    const live = agent.liveVersion === 0 ? null : await findVersion(tx, agent.id, agent.liveVersion);
    if (live !== null && live.configHash === hash) return toSummary(live);
    const version: VersionRow = {
      agentId: agent.id,
      versionNumber: agent.liveVersion + 1,
      config,
      attachments,
      configHash: hash,
      title: label.title,
      description: label.description,
      publishedAt: now(),
    };
    await tx.insert(agentVersions).values(version);
    await tx.update(agents).set({ liveVersion: version.versionNumber }).where(ownedAgent(owner.teamId, owner.agentId));
    return toSummary(version);
  });
}

/** One version of an agent, or null. */
export async function findVersion(db: Db, agentId: string, versionNumber: number): Promise<VersionRow | null> {
  const [row] = await db
    .select()
    .from(agentVersions)
    .where(and(eq(agentVersions.agentId, agentId), eq(agentVersions.versionNumber, versionNumber)));
  return row ?? null;
}

/** The number in a path, or null for what is none: that names no version. */
export function versionNumberOf(text: string): number | null {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null;
}

type VersionHead = Omit<VersionRow, "config" | "attachments">;

/**
 * Rows of one page of an agent's versions, newest first, and how many there are where the page wants to know.
 * Numbers rise with time, so they give the order; a cursor's place is a version's number.
 */
export async function listVersions(
  db: Db,
  agentId: string,
  page: Page,
): Promise<{ read: VersionHead[]; total: number | null }> {
  const ofAgent = eq(agentVersions.agentId, agentId);
  const after: SQL | undefined =
    page.after === null ? undefined : lt(agentVersions.versionNumber, versionNumberOf(page.after.id) ?? 0);
  const { config: _, attachments: __, ...head } = columns;
  const read = await db
    .select(head)
    .from(agentVersions)
    .where(and(ofAgent, after))
    .orderBy(desc(agentVersions.versionNumber))
    .limit(page.limit)
    .offset(page.offset);
  if (!page.wantsTotal) return { read, total: null };
  const [counted] = await db.select({ total: sql<number>`count(*)::int` }).from(agentVersions).where(ofAgent);
  return { read, total: counted?.total ?? 0 };
}

const columns = {
  agentId: agentVersions.agentId,
  versionNumber: agentVersions.versionNumber,
  config: agentVersions.config,
  attachments: agentVersions.attachments,
  configHash: agentVersions.configHash,
  title: agentVersions.title,
  description: agentVersions.description,
  publishedAt: agentVersions.publishedAt,
};

export function toSummary(row: VersionHead): VersionSummary {
  return {
    version_number: row.versionNumber,
    version_title: row.title,
    version_description: row.description,
    config_hash: row.configHash,
    published_at: row.publishedAt.toISOString(),
  };
}

export function toDetail(row: VersionRow): VersionDetail {
  const config = agentConfig.parse(row.config);
  return {
    ...toSummary(row),
    config: toConfigEntity({ agentId: row.agentId, config, configHash: row.configHash, updatedAt: row.publishedAt }),
  };
}
