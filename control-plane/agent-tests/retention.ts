import { and, inArray, lt, sql } from "drizzle-orm";
import type { Clock } from "#common/clock";
import type { Logger } from "#common/log";
import type { Db } from "../database/database.js";
import { repeatWork } from "../repeated-work.js";
import { agentTestBatches, agentTestRuns } from "./run-tables.js";

const DAY_MS = 86_400_000;
const LOOK_INTERVAL_MS = 3_600_000;
/** Batches that are deleted at a time: each may have a thousand runs, and others wait for the database meanwhile. */
const MOST_AT_ONCE = 20;
/** Between two such deletions. */
const PAUSE_MS = 1000;

/**
 * Deletes batches that were started before `before` and are over, with their runs. Gives whether there may be more of
 * them.
 */
export async function deleteOldBatches(db: Db, before: Date): Promise<boolean> {
  const isUnderWay = sql`EXISTS (SELECT 1 FROM ${agentTestRuns} WHERE ${agentTestRuns.batchId} = ${agentTestBatches.id} AND ${agentTestRuns.status} IN ('queued', 'running'))`;
  const old = await db
    .select({ id: agentTestBatches.id })
    .from(agentTestBatches)
    .where(and(lt(agentTestBatches.createdAt, before), sql`NOT ${isUnderWay}`))
    .limit(MOST_AT_ONCE);
  const ids = old.map(({ id }) => id);
  if (ids.length > 0) await db.delete(agentTestBatches).where(inArray(agentTestBatches.id, ids));
  return ids.length === MOST_AT_ONCE;
}

/** Deletes batches that are older than `retentionDays`, at once and every hour from then on, until it is stopped. */
export function startBatchRetention({
  db,
  clock,
  log,
  now,
  retentionDays,
}: {
  db: Db;
  clock: Clock;
  log: Logger;
  now: () => Date;
  retentionDays: number;
}): { stop(): void } {
  const work = async (): Promise<number> => {
    const hasMore = await deleteOldBatches(db, new Date(now().getTime() - retentionDays * DAY_MS));
    return hasMore ? PAUSE_MS : LOOK_INTERVAL_MS;
  };
  return repeatWork({ clock, log, problem: "old test runs could not be deleted yet", retryMs: LOOK_INTERVAL_MS, work });
}
