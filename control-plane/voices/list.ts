import { and, arrayOverlaps, asc, desc, eq, type SQL, sql } from "drizzle-orm";
import type { ModelList, ModelListQuery } from "#protocol/voices";
import type { Db } from "../database/database.js";
import { users, voices } from "../database/schema.js";
import { toEntity } from "./entity.js";
import { foldText, samplesOf } from "./store.js";

/**
 * One page of the voices that match. `self` lists the team's own, whatever their visibility; otherwise public ones of
 * every team. A repeated `tag`, `language` or `title_language` asks for any of its values; `title` for a part of the
 * title, whatever its case. `score` puts a title that equals the filter first, then titles that begin with it, then the
 * more used, then the newer. The order is total, so pages neither repeat nor skip a voice while nothing changes.
 */
export async function listVoices(db: Db, query: ModelListQuery, teamId: string): Promise<ModelList> {
  // Postgres refuses U+0000 in a parameter, and no stored text holds one: such a filter matches nothing.
  const impossible = JSON.stringify([
    query.title,
    query.author_id,
    query.tag,
    query.language,
    query.title_language,
  ]).includes("\\u0000");
  const where = conditions(query, teamId);
  const total = impossible ? 0 : await countVoices(db, where);
  const offset = (query.page_number - 1) * query.page_size;
  const rows = offset >= total ? [] : await pageOfVoices(db, query, where, offset);
  const samples = await samplesOf(
    db,
    rows.map((row) => row.voice.id),
  );
  return {
    total,
    items: rows.map((row) => toEntity({ ...row, samples: samples.get(row.voice.id) ?? [] })),
    has_more: offset + rows.length < total && rows.length > 0,
    max_offset: null,
    accessible_upper_bound: null,
    window_limited: false,
    total_is_exact: true,
  };
}

function conditions(query: ModelListQuery, teamId: string): SQL | undefined {
  const { title, author_id, tag, language, title_language } = query;
  return and(
    query.self ? eq(voices.teamId, teamId) : eq(voices.visibility, "public"),
    !query.self && author_id !== undefined ? eq(voices.authorId, author_id) : undefined,
    title !== undefined ? sql`strpos(${voices.titleFolded}, ${foldText(title)}) > 0` : undefined,
    tag.length > 0 ? arrayOverlaps(voices.tags, tag) : undefined,
    language.length > 0 ? arrayOverlaps(voices.languages, language) : undefined,
    title_language.length > 0 ? arrayOverlaps(voices.titleLanguages, title_language) : undefined,
  );
}

async function countVoices(db: Db, where: SQL | undefined): Promise<number> {
  const [row] = await db.select({ total: sql<number>`count(*)::int` }).from(voices).where(where);
  return row?.total ?? 0;
}

function pageOfVoices(db: Db, query: ModelListQuery, where: SQL | undefined, offset: number) {
  return db
    .select({ voice: voices, author: users })
    .from(voices)
    .innerJoin(users, eq(voices.authorId, users.id))
    .where(where)
    .orderBy(...order(query), asc(voices.id))
    .limit(query.page_size)
    .offset(offset);
}

function order(query: ModelListQuery): SQL[] {
  if (query.sort_by === "created_at") return [desc(voices.createdAt)];
  const byUse = [desc(voices.taskCount), desc(voices.createdAt)];
  if (query.sort_by === "task_count" || query.title === undefined) return byUse;
  const wanted = foldText(query.title);
  const rank = sql`CASE WHEN ${voices.titleFolded} = ${wanted} THEN 0 WHEN strpos(${voices.titleFolded}, ${wanted}) = 1 THEN 1 ELSE 2 END`;
  return [asc(rank), ...byUse];
}
