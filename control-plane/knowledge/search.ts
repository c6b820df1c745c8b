import { desc, sql } from "drizzle-orm";
import type { Db } from "../database/database.js";
import { anyOf } from "./term-vector.js";
import { termsOf } from "#common/text/terms";

/** A source to search, at the revision that a published version pinned, or at its newest. */
export interface SearchedSource {
  sourceId: string;
  revisionNumber: number | null;
}

export interface KnowledgeQuery {
  teamId: string;
  sources: readonly SearchedSource[];
  /** Anything that somebody said. */
  query: string;
  /** Passages to give at most. */
  limit: number;
}

/** A passage that was found. */
export interface Passage {
  sourceId: string;
  /** Name of its source. */
  sourceName: string;
  heading: string;
  content: string;
  /** Larger is better; comparable within one search only. */
  score: number;
}

/**
 * Of Okapi BM25 (Robertson and Zaragoza 2009, "The Probabilistic Relevance Framework"): how soon repetition stops to
 * count, what length costs.
 */
const SATURATION = 1.2;
const LENGTH_PENALTY = 0.5;
/** A term in a heading counts as often in the text. */
const HEADING_WEIGHT = 2;
/** Of a long utterance the first ones count: each costs time. */
const MAX_QUERY_TERMS = 64;

/**
 * Finds the passages that answer a question best: those that share terms with it, ranked by BM25 among the passages of
 * the given sources. Sources of another team are not searched. Gives nothing where no term is shared, which is not an
 * error.
 */
export async function searchKnowledge(db: Db, { teamId, sources, query, limit }: KnowledgeQuery): Promise<Passage[]> {
  const terms = [...new Set(termsOf(query))].slice(0, MAX_QUERY_TERMS);
  if (terms.length === 0 || sources.length === 0 || limit < 1) return [];
  const wanted = JSON.stringify(
    sources.map(({ sourceId, revisionNumber }) => ({ id: sourceId, revision: revisionNumber })),
  );
  const ranking = sql`(
    WITH wanted AS (
      SELECT s.id AS source_id, s.name AS source_name, coalesce(w.revision, s.revision_number) AS revision_number
      FROM jsonb_to_recordset(${wanted}::text::jsonb) AS w (id text, revision integer)
      JOIN knowledge_sources s ON s.id = w.id AND s.team_id = ${teamId}
    ), corpus AS (
      SELECT count(*)::float8 AS passages, greatest(avg(c.term_count), 1)::float8 AS mean_length
      FROM wanted JOIN knowledge_chunks c USING (source_id, revision_number)
    ), found AS (
      SELECT c.source_id, c.revision_number, c.position, c.term_count, t.lexeme,
        (SELECT sum(CASE weight WHEN 'A' THEN ${HEADING_WEIGHT}::int ELSE 1 END) FROM unnest(t.weights) AS weight)::float8 AS frequency
      FROM wanted JOIN knowledge_chunks c USING (source_id, revision_number)
      CROSS JOIN LATERAL unnest(c.terms) AS t
      WHERE c.terms @@ ${anyOf(terms)}::tsquery
        AND t.lexeme = ANY (ARRAY(SELECT jsonb_array_elements_text(${JSON.stringify(terms)}::text::jsonb)))
    ), rarity AS (
      SELECT lexeme, ln(1 + (min(passages) - count(*) + 0.5) / (count(*) + 0.5)) AS weight FROM found, corpus GROUP BY lexeme
    ), best AS (
      SELECT f.source_id, f.revision_number, f.position,
        sum(r.weight * f.frequency * (${SATURATION}::float8 + 1)
          / (f.frequency + ${SATURATION}::float8 * (1 - ${LENGTH_PENALTY}::float8 + ${LENGTH_PENALTY}::float8 * f.term_count / mean_length))) AS score
      FROM found f JOIN rarity r USING (lexeme), corpus
      GROUP BY f.source_id, f.revision_number, f.position
      ORDER BY score DESC, f.source_id, f.position
      LIMIT ${limit}
    )
    SELECT best.source_id, wanted.source_name, c.heading, c.content, best.score, best.position
    FROM best JOIN knowledge_chunks c USING (source_id, revision_number, position) JOIN wanted USING (source_id, revision_number)
  ) AS ranking`;
  return await db
    .select({
      sourceId: sql<string>`source_id`,
      sourceName: sql<string>`source_name`,
      heading: sql<string>`heading`,
      content: sql<string>`content`,
      score: sql<number>`score`,
    })
    .from(ranking)
    .orderBy(desc(sql`score`), sql`source_id`, sql`position`);
}
