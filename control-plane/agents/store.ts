import { and, asc, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { AgentEntity, AgentListQuery, AgentUpdate } from "#protocol/agents/agent";
import { ServiceError } from "#protocol/errors";
import type { Db } from "../database/database.js";
import { newestFirst, type Page, within } from "../http/paging.js";
import { foldText } from "../voices/store.js";
import { type AgentRow, agents } from "./tables.js";

/** Ids are ours; asking the database for anything else could only fail (it refuses U+0000, for one). */
export function isAgentId(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text);
}

/** Condition: this agent of this team. */
export const ownedAgent = (teamId: string, agentId: string): SQL | undefined =>
  and(eq(agents.teamId, teamId), eq(agents.id, agentId));

/** The team's agent. Throws `not_found`, for another team's as for a missing one. */
export async function findAgent(db: Db, teamId: string, agentId: string): Promise<AgentRow> {
  const [row] = isAgentId(agentId) ? await db.select().from(agents).where(ownedAgent(teamId, agentId)) : [];
  if (row === undefined) throw new ServiceError("not_found");
  return row;
}

/** The team's agent, whose other writers wait until the transaction ends. Throws `not_found`. */
export async function lockAgent(tx: Db, teamId: string, agentId: string): Promise<AgentRow> {
  const [row] = isAgentId(agentId)
    ? await tx.select().from(agents).where(ownedAgent(teamId, agentId)).for("no key update")
    : [];
  if (row === undefined) throw new ServiceError("not_found");
  return row;
}

/**
 * Keeps the team's agents among these ids from being deleted until the transaction ends, so that others may refer to
 * them. Gives those ids.
 */
export async function holdAgents(tx: Db, teamId: string, agentIds: readonly string[]): Promise<Set<string>> {
  const ids = agentIds.filter(isAgentId);
  if (ids.length === 0) return new Set();
  const rows = await tx
    .select({ id: agents.id })
    .from(agents)
    .where(and(eq(agents.teamId, teamId), inArray(agents.id, ids)))
    // One order for everyone: nobody waits in a circle.
    .orderBy(asc(agents.id))
    .for("key share");
  return new Set(rows.map((row) => row.id));
}

/** Texts with the forms that searches compare. */
export function searchable(text: {
  name?: string;
  description?: string;
}): Partial<Pick<AgentRow, "name" | "nameFolded" | "description" | "descriptionFolded">> {
  const { name, description } = text;
  return {
    ...(name === undefined ? {} : { name, nameFolded: foldText(name) }),
    ...(description === undefined ? {} : { description, descriptionFolded: foldText(description) }),
  };
}

/** Changes what is given of the team's agent. Throws `not_found`. */
export async function updateAgent(
  db: Db,
  owner: { teamId: string; agentId: string },
  update: AgentUpdate,
  now: Date,
): Promise<AgentRow> {
  const [row] = await db
    .update(agents)
    .set({
      ...searchable(update),
      // drizzle leaves out what is undefined.
      status: update.status,
      publicEnabled: update.public_enabled,
      allowedOrigins: update.allowed_origins === undefined ? undefined : [...new Set(update.allowed_origins)],
      overridesAllowed: update.overrides_allowed === undefined ? undefined : [...new Set(update.overrides_allowed)],
      updatedAt: now,
    })
    .where(ownedAgent(owner.teamId, owner.agentId))
    .returning();
  if (row === undefined) throw new ServiceError("not_found");
  return row;
}

/** Deletes the team's agent with its configuration and versions. Throws `not_found`. */
export async function deleteAgent(db: Db, teamId: string, agentId: string): Promise<void> {
  const gone = await db.delete(agents).where(ownedAgent(teamId, agentId)).returning({ id: agents.id });
  if (gone.length === 0) throw new ServiceError("not_found");
}

/** Rows of one page of the team's agents, and how many match in all where the page wants to know. */
export async function listAgents(
  db: Db,
  teamId: string,
  query: AgentListQuery,
  page: Page,
): Promise<{ read: AgentRow[]; total: number | null }> {
  const { search, include_archived: includeArchived, publication_state: state } = query;
  // Postgres refuses U+0000 in a parameter, and no stored text holds one.
  if (search?.includes("\u0000") === true) return { read: [], total: page.wantsTotal ? 0 : null };
  const part = foldText(search ?? "");
  const where = and(
    eq(agents.teamId, teamId),
    part === ""
      ? undefined
      : sql`(strpos(${agents.nameFolded}, ${part}) > 0 OR strpos(${agents.descriptionFolded}, ${part}) > 0)`,
    includeArchived ? undefined : eq(agents.status, "active"),
    state === "all" ? undefined : state === "live" ? sql`${agents.liveVersion} > 0` : eq(agents.liveVersion, 0),
  );
  const read = await db
    .select()
    .from(agents)
    .where(within(page, where, agents))
    .orderBy(...newestFirst(agents))
    .limit(page.limit)
    .offset(page.offset);
  if (!page.wantsTotal) return { read, total: null };
  const [counted] = await db.select({ total: sql<number>`count(*)::int` }).from(agents).where(where);
  return { read, total: counted?.total ?? 0 };
}

/** An agent as its team reads it. A team is its one workspace. */
export function toAgentEntity(row: AgentRow): AgentEntity {
  return {
    agent_id: row.id,
    workspace_id: row.teamId,
    name: row.name,
    description: row.description,
    status: row.status,
    publication_state: row.liveVersion > 0 ? "live" : "draft",
    public_enabled: row.publicEnabled,
    allowed_origins: row.allowedOrigins,
    overrides_allowed: row.overridesAllowed,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}
