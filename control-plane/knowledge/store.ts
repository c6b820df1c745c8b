import { and, asc, eq, inArray, type SQL, sql } from "drizzle-orm";
import { newIdentifier } from "#common/identifier";
import { ServiceError } from "#protocol/errors";
import { agentsReferencingKnowledge } from "../agents/references.js";
import type { Db } from "../database/database.js";
import { newestFirst, type Page, within } from "../http/paging.js";
import { foldText } from "../voices/store.js";
import type { IndexedChunk } from "./index-text.js";
import { indexOnThread } from "./indexer.js";
import { knowledgeChunks, knowledgeRevisions, knowledgeSources, type SourceRow } from "./tables.js";

/** Rows of one insert: it takes some milliseconds to be written down, and others have their turn after it. */
const CHUNKS_PER_INSERT = 50;

/** Ids are ours; asking the database for anything else could only fail (it refuses U+0000, for one). */
function isSourceId(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text);
}

const owned = (teamId: string, sourceId: string): SQL | undefined =>
  and(eq(knowledgeSources.teamId, teamId), eq(knowledgeSources.id, sourceId));

/** A text that was uploaded. */
export interface NewContent {
  text: string;
  fileName: string;
}

/** A source with its newest text. */
export interface SourceWithText {
  source: SourceRow;
  text: string;
}

/** The team's source. Throws `not_found`, for another team's as for a missing one. */
export async function findSource(db: Db, teamId: string, sourceId: string): Promise<SourceRow> {
  const [row] = isSourceId(sourceId) ? await db.select().from(knowledgeSources).where(owned(teamId, sourceId)) : [];
  if (row === undefined) throw new ServiceError("not_found");
  return row;
}

/** The team's source with its newest text, as they were at one moment. Throws `not_found`. */
export async function readSource(db: Db, teamId: string, sourceId: string): Promise<SourceWithText> {
  const [row] = isSourceId(sourceId)
    ? await db
        .select({ source: knowledgeSources, text: knowledgeRevisions.content })
        .from(knowledgeSources)
        .innerJoin(
          knowledgeRevisions,
          and(
            eq(knowledgeRevisions.sourceId, knowledgeSources.id),
            eq(knowledgeRevisions.revisionNumber, knowledgeSources.revisionNumber),
          ),
        )
        .where(owned(teamId, sourceId))
    : [];
  if (row === undefined) throw new ServiceError("not_found");
  return row;
}

const searchable = (name: string, fileName: string): string => foldText(`${name}\n${fileName}`);
const sizeOf = (text: string): number => Buffer.byteLength(text);

/** Writes a source with its first revision, all or nothing. */
export async function insertSource(
  db: Db,
  given: { teamId: string; name: string; description: string; content: NewContent; now: Date },
): Promise<SourceRow> {
  const { teamId, name, description, content, now } = given;
  const chunks = await indexOnThread(content.text);
  const row: SourceRow = {
    id: newIdentifier(),
    teamId,
    name,
    description,
    fileName: content.fileName,
    searchFolded: searchable(name, content.fileName),
    sizeBytes: sizeOf(content.text),
    chunkCount: chunks.length,
    revisionNumber: 1,
    createdAt: now,
    updatedAt: now,
  };
  await db.transaction(async (tx) => {
    await tx.insert(knowledgeSources).values(row);
    await insertRevision(tx, row, content.text, chunks);
  });
  return row;
}

/**
 * Changes what is given of a source; new content becomes a new revision. Changes of one source take turns. Throws
 * `not_found`.
 */
export async function changeSource(
  db: Db,
  owner: { teamId: string; sourceId: string },
  change: { name: string | undefined; description: string | undefined; content: NewContent | null; now: Date },
): Promise<void> {
  const { teamId, sourceId } = owner;
  const { content, now } = change;
  if (!isSourceId(sourceId)) throw new ServiceError("not_found");
  const chunks = content === null ? [] : await indexOnThread(content.text);
  await db.transaction(async (tx) => {
    const [row] = await tx.select().from(knowledgeSources).where(owned(teamId, sourceId)).for("no key update");
    if (row === undefined) throw new ServiceError("not_found");
    const name = change.name ?? row.name;
    const description = change.description ?? row.description;
    const kept = {
      ...row,
      name,
      description,
      searchFolded: searchable(name, content?.fileName ?? row.fileName),
      updatedAt: now,
    };
    const changed =
      content === null
        ? kept
        : {
            ...kept,
            fileName: content.fileName,
            sizeBytes: sizeOf(content.text),
            chunkCount: chunks.length,
            revisionNumber: row.revisionNumber + 1,
          };
    if (content !== null) await insertRevision(tx, changed, content.text, chunks);
    await tx.update(knowledgeSources).set(changed).where(owned(teamId, sourceId));
  });
}

async function insertRevision(tx: Db, source: SourceRow, text: string, chunks: readonly IndexedChunk[]): Promise<void> {
  const { id: sourceId, revisionNumber, updatedAt } = source;
  await tx.insert(knowledgeRevisions).values({ sourceId, revisionNumber, content: text, createdAt: updatedAt });
  const rows = chunks.map(({ heading, content, literal, termCount }, position) => {
    return { sourceId, revisionNumber, position, heading, content, termCount, terms: literal };
  });
  for (let at = 0; at < rows.length; at += CHUNKS_PER_INSERT)
    await tx.insert(knowledgeChunks).values(rows.slice(at, at + CHUNKS_PER_INSERT));
}

/**
 * Deletes a source that no agent refers to, with all its revisions; throws `knowledge_attached` while one does, and
 * `not_found`. The row stays locked from before the question until the end: an agent that attaches the source meanwhile
 * (`holdSources`) finds it gone.
 */
export async function deleteSource(db: Db, teamId: string, sourceId: string): Promise<void> {
  if (!isSourceId(sourceId)) throw new ServiceError("not_found");
  await db.transaction(async (tx) => {
    const [row] = await tx
      .select({ id: knowledgeSources.id })
      .from(knowledgeSources)
      .where(owned(teamId, sourceId))
      .for("update");
    if (row === undefined) throw new ServiceError("not_found");
    const agents = await agentsReferencingKnowledge(tx, teamId, sourceId);
    if (agents.length > 0) throw new ServiceError("knowledge_attached", { parameters: { count: agents.length } });
    await tx.delete(knowledgeSources).where(owned(teamId, sourceId));
  });
}

/**
 * Makes sure, until the end of the transaction `step`, that the team's sources with these ids stay: to be called before
 * a draft refers to them. Gives the ids that exist.
 */
export async function holdSources(tx: Db, teamId: string, sourceIds: readonly string[]): Promise<Set<string>> {
  const ids = sourceIds.filter(isSourceId);
  if (ids.length === 0) return new Set();
  const rows = await tx
    .select({ id: knowledgeSources.id })
    .from(knowledgeSources)
    .where(and(eq(knowledgeSources.teamId, teamId), inArray(knowledgeSources.id, ids)))
    // One order for everyone: two agents that attach the same sources do not wait for each other in a circle.
    .orderBy(asc(knowledgeSources.id))
    .for("key share");
  return new Set(rows.map((row) => row.id));
}

/** A source as a published version pins it. */
export interface PinnedSource {
  id: string;
  revisionNumber: number;
}

/** The newest revisions of the team's sources with these ids, in the order of the ids; missing ones are left out. */
export async function pinSources(tx: Db, teamId: string, sourceIds: readonly string[]): Promise<PinnedSource[]> {
  const ids = sourceIds.filter(isSourceId);
  if (ids.length === 0) return [];
  const rows = await tx
    .select({ id: knowledgeSources.id, revisionNumber: knowledgeSources.revisionNumber })
    .from(knowledgeSources)
    .where(and(eq(knowledgeSources.teamId, teamId), inArray(knowledgeSources.id, ids)));
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** Rows of one page, and how many match in all where the page wants to know. */
export async function listSources(
  db: Db,
  filter: { teamId: string; search: string | null },
  page: Page,
): Promise<{ read: SourceRow[]; total: number | null }> {
  // Postgres refuses U+0000 in a parameter, and no stored name holds one.
  if (filter.search?.includes("\u0000") === true) return { read: [], total: page.wantsTotal ? 0 : null };
  const where = and(
    eq(knowledgeSources.teamId, filter.teamId),
    filter.search === null ? undefined : sql`strpos(${knowledgeSources.searchFolded}, ${foldText(filter.search)}) > 0`,
  );
  const read = await db
    .select()
    .from(knowledgeSources)
    .where(within(page, where, knowledgeSources))
    .orderBy(...newestFirst(knowledgeSources))
    .limit(page.limit)
    .offset(page.offset);
  if (!page.wantsTotal) return { read, total: null };
  const [counted] = await db.select({ total: sql<number>`count(*)::int` }).from(knowledgeSources).where(where);
  return { read, total: counted?.total ?? 0 };
}
