import { and, asc, eq, inArray, type SQL, sql } from "drizzle-orm";
import { ServiceError } from "#protocol/errors";
import { draftsReferencingTool } from "../agents/references.js";
import type { Db } from "../database/database.js";
import { newestFirst, type Page, within } from "../http/paging.js";
import { foldText } from "../voices/store.js";
import { type ToolRow, tools } from "./table.js";

/** Ids are ours; asking the database for anything else could only fail (it refuses U+0000, for one). */
function isToolId(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text);
}

const owned = (teamId: string, toolId: string): SQL | undefined => and(eq(tools.teamId, teamId), eq(tools.id, toolId));

/** The team's tool. Throws `not_found`, for another team's as for a missing one. */
export async function findTool(db: Db, teamId: string, toolId: string): Promise<ToolRow> {
  const [row] = isToolId(toolId) ? await db.select().from(tools).where(owned(teamId, toolId)) : [];
  if (row === undefined) throw new ServiceError("not_found");
  return row;
}

export async function insertTool(db: Db, row: ToolRow): Promise<void> {
  await db.insert(tools).values(row);
}

/**
 * Replaces a tool by what `change` makes of it; changes of one tool take turns. Throws `not_found` and what `change`
 * throws.
 */
export async function changeTool(
  db: Db,
  teamId: string,
  toolId: string,
  change: (row: ToolRow) => ToolRow,
): Promise<ToolRow> {
  if (!isToolId(toolId)) throw new ServiceError("not_found");
  return await db.transaction(async (tx) => {
    const [row] = await tx.select().from(tools).where(owned(teamId, toolId)).for("no key update");
    if (row === undefined) throw new ServiceError("not_found");
    const { id: _, teamId: __, createdAt: ___, ...changed } = change(row);
    await tx.update(tools).set(changed).where(owned(teamId, toolId));
    return { ...row, ...changed };
  });
}

/**
 * Deletes a tool that no draft refers to; throws `tool_attached` while one does, and `not_found`. The row stays locked
 * from before the question until the end: an agent that attaches the tool meanwhile (`holdTools`) waits and finds it
 * gone.
 */
export async function deleteTool(db: Db, teamId: string, toolId: string): Promise<void> {
  if (!isToolId(toolId)) throw new ServiceError("not_found");
  await db.transaction(async (tx) => {
    const [row] = await tx.select({ id: tools.id }).from(tools).where(owned(teamId, toolId)).for("update");
    if (row === undefined) throw new ServiceError("not_found");
    const agents = await draftsReferencingTool(tx, teamId, toolId);
    if (agents.length > 0) throw new ServiceError("tool_attached", { parameters: { count: agents.length } });
    await tx.delete(tools).where(owned(teamId, toolId));
  });
}

/**
 * Makes sure, until the end of the transaction `step`, that the team's tools with these ids stay: to be called before a
 * draft refers to them. Gives the ids that exist.
 */
export async function holdTools(tx: Db, teamId: string, toolIds: readonly string[]): Promise<Set<string>> {
  const ids = toolIds.filter(isToolId);
  if (ids.length === 0) return new Set();
  const rows = await tx
    .select({ id: tools.id })
    .from(tools)
    .where(and(eq(tools.teamId, teamId), inArray(tools.id, ids)))
    // One order for everyone: two agents that attach the same tools do not wait for each other in a circle.
    .orderBy(asc(tools.id))
    .for("key share");
  return new Set(rows.map((row) => row.id));
}

/** A tool as a published version keeps it, sealed credentials included. JSON. */
export type FrozenTool = Pick<ToolRow, "id" | "toolType" | "name" | "definition" | "secrets">;

/** Copies of the team's tools with these ids, in the order of the ids; missing ones are left out. */
export async function freezeTools(tx: Db, teamId: string, toolIds: readonly string[]): Promise<FrozenTool[]> {
  const ids = toolIds.filter(isToolId);
  if (ids.length === 0) return [];
  const rows = await tx
    .select()
    .from(tools)
    .where(and(eq(tools.teamId, teamId), inArray(tools.id, ids)));
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => {
    const row = byId.get(id);
    return row === undefined
      ? []
      : [{ id, toolType: row.toolType, name: row.name, definition: row.definition, secrets: row.secrets }];
  });
}

/** Which tools a list is about. */
export interface ToolFilter {
  teamId: string;
  /** Part of the name, in any case. */
  search: string | null;
  /** Only these; null for all. */
  toolIds: readonly string[] | null;
}

/** Rows of one page, and how many match in all where the page wants to know. */
export async function listTools(
  db: Db,
  filter: ToolFilter,
  page: Page,
): Promise<{ read: ToolRow[]; total: number | null }> {
  // Postgres refuses U+0000 in a parameter, and no stored name holds one.
  if (filter.search?.includes("\u0000") === true) return { read: [], total: page.wantsTotal ? 0 : null };
  const where = and(
    eq(tools.teamId, filter.teamId),
    filter.search === null ? undefined : sql`strpos(${tools.nameFolded}, ${foldText(filter.search)}) > 0`,
    filter.toolIds === null ? undefined : inArray(tools.id, filter.toolIds.filter(isToolId)),
  );
  const read = await db
    .select()
    .from(tools)
    .where(within(page, where, tools))
    .orderBy(...newestFirst(tools))
    .limit(page.limit)
    .offset(page.offset);
  if (!page.wantsTotal) return { read, total: null };
  const [counted] = await db.select({ total: sql<number>`count(*)::int` }).from(tools).where(where);
  return { read, total: counted?.total ?? 0 };
}
