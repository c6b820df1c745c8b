import { and, eq, gte, lt, type SQL, sql } from "drizzle-orm";
import type { UsageDimension } from "#protocol/usage";
import type { Db } from "../database/database.js";
import { usageRecords } from "../database/schema.js";
import { intervalOf, MAX_USAGE_LINES, type UsageQuery, type UsageSums } from "./usage-query.js";

const columns: Readonly<Record<UsageDimension, SQL<string>>> = {
  day: sql<string>`to_char(${usageRecords.finishedAt} AT TIME ZONE 'UTC', 'YYYY-MM-DD')`,
  model: sql<string>`${usageRecords.model}`,
  key: sql<string>`${usageRecords.keyId}`,
  agent: sql<string>`${usageRecords.agentId}`,
};

const total = (value: SQL): SQL<number> => sql<number>`coalesce(sum(${value}), 0)`.mapWith(Number);

/** Sums a team's usage from the booked records: exact, and enough while there is no analytics engine. */
export async function sumUsageInRecords(db: Db, query: UsageQuery): Promise<UsageSums[]> {
  const dimensions = Object.fromEntries(
    query.groupBy.map((dimension) => [dimension, columns[dimension].as(dimension)]),
  );
  const { from, until } = intervalOf(query);
  // By position: the same expression with parameters twice is two expressions to Postgres.
  const positions = query.groupBy.map((_, index) => sql.raw(String(index + 1)));
  const rows = await db
    .select({
      ...dimensions,
      requests: sql<number>`count(*)`.mapWith(Number),
      failed: sql<number>`count(*) FILTER (WHERE ${usageRecords.outcome} = 'failed')`.mapWith(Number),
      partial: sql<number>`count(*) FILTER (WHERE ${usageRecords.outcome} = 'partial')`.mapWith(Number),
      characters: total(sql`${usageRecords.characters}`),
      audioMs: total(sql`${usageRecords.audioMs}`),
      conversationMs: total(sql`${usageRecords.conversationMs}`),
      costMicros: total(sql`${usageRecords.costMicros}`),
    })
    .from(usageRecords)
    .where(
      and(
        eq(usageRecords.teamId, query.teamId),
        gte(usageRecords.finishedAt, from),
        lt(usageRecords.finishedAt, until),
      ),
    )
    .groupBy(...positions)
    .orderBy(...positions)
    .limit(MAX_USAGE_LINES + 1);
  return rows;
}
