import { and, asc, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { TestRunListQuery } from "#protocol/agents/test-runs";
import type { TestDefinition } from "#protocol/agents/tests";
import { ServiceError } from "#protocol/errors";
import type { Db } from "../database/database.js";
import { newestFirst, type Page, within } from "../http/paging.js";
import type { RunCounts, ShownBatch } from "./run-entity.js";
import { agentTestBatches, agentTestBatchTests, agentTestRuns, type RunRow } from "./run-tables.js";

/** Ids are ours; asking the database for anything else could only fail (it refuses U+0000, for one). */
function isOurId(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text);
}

const shown = {
  id: agentTestBatches.id,
  agentId: agentTestBatches.agentId,
  configHash: agentTestBatches.configHash,
  createdAt: agentTestBatches.createdAt,
};

/** A batch of the agent, which is the team's, with its runs in order. Throws `not_found`. */
export async function readBatch(
  db: Db,
  agentId: string,
  batchId: string,
): Promise<{ batch: ShownBatch; runs: RunRow[] }> {
  const [batch] = isOurId(batchId)
    ? await db
        .select(shown)
        .from(agentTestBatches)
        .where(and(eq(agentTestBatches.id, batchId), eq(agentTestBatches.agentId, agentId)))
    : [];
  if (batch === undefined) throw new ServiceError("not_found");
  const runs = await db
    .select()
    .from(agentTestRuns)
    .where(eq(agentTestRuns.batchId, batchId))
    .orderBy(asc(agentTestRuns.position));
  return { batch, runs };
}

/** One page of an agent's batches, and how many there are in all where the page wants to know. */
export async function listBatches(
  db: Db,
  agentId: string,
  page: Page,
): Promise<{ read: ShownBatch[]; total: number | null }> {
  const where = eq(agentTestBatches.agentId, agentId);
  const read = await db
    .select(shown)
    .from(agentTestBatches)
    .where(within(page, where, agentTestBatches))
    .orderBy(...newestFirst(agentTestBatches))
    .limit(page.limit)
    .offset(page.offset);
  if (!page.wantsTotal) return { read, total: null };
  const [counted] = await db.select({ total: sql<number>`count(*)::int` }).from(agentTestBatches).where(where);
  return { read, total: counted?.total ?? 0 };
}

/** How many runs of each batch there are in each state. */
export async function countRuns(db: Db, batchIds: readonly string[]): Promise<(batchId: string) => RunCounts> {
  const counted =
    batchIds.length === 0
      ? []
      : await db
          .select({ batchId: agentTestRuns.batchId, status: agentTestRuns.status, count: sql<number>`count(*)::int` })
          .from(agentTestRuns)
          .where(inArray(agentTestRuns.batchId, [...batchIds]))
          .groupBy(agentTestRuns.batchId, agentTestRuns.status);
  return (batchId) => {
    const counts: RunCounts = { queued: 0, running: 0, passed: 0, failed: 0, error: 0 };
    for (const row of counted) if (row.batchId === batchId) counts[row.status] = row.count;
    return counts;
  };
}

/** A run of the team, and the test as it was. Throws `not_found`. */
export async function findRun(
  db: Db,
  teamId: string,
  runId: string,
): Promise<{ row: RunRow; definition: TestDefinition }> {
  const [found] = isOurId(runId)
    ? await db
        .select({ row: agentTestRuns, definition: agentTestBatchTests.definition })
        .from(agentTestRuns)
        .innerJoin(
          agentTestBatchTests,
          and(
            eq(agentTestBatchTests.batchId, agentTestRuns.batchId),
            eq(agentTestBatchTests.testId, agentTestRuns.testId),
          ),
        )
        .where(and(eq(agentTestRuns.teamId, teamId), eq(agentTestRuns.id, runId)))
    : [];
  if (found === undefined) throw new ServiceError("not_found");
  return found;
}

/** One page of the team's runs, and how many match in all where the page wants to know. */
export async function listRuns(
  db: Db,
  teamId: string,
  query: TestRunListQuery,
  page: Page,
): Promise<{ read: RunRow[]; total: number | null }> {
  const named = [query.agent_id, query.test_id, query.batch_id].filter((id) => id !== undefined);
  if (!named.every(isOurId)) return { read: [], total: page.wantsTotal ? 0 : null };
  const where = and(eq(agentTestRuns.teamId, teamId), ...filters(query));
  const read = await db
    .select()
    .from(agentTestRuns)
    .where(within(page, where, agentTestRuns))
    .orderBy(...newestFirst(agentTestRuns))
    .limit(page.limit)
    .offset(page.offset);
  if (!page.wantsTotal) return { read, total: null };
  const [counted] = await db.select({ total: sql<number>`count(*)::int` }).from(agentTestRuns).where(where);
  return { read, total: counted?.total ?? 0 };
}

function filters(query: TestRunListQuery): (SQL | undefined)[] {
  const { agent_id: agentId, test_id: testId, batch_id: batchId, status, test_type: testType } = query;
  return [
    agentId === undefined ? undefined : eq(agentTestRuns.agentId, agentId),
    testId === undefined ? undefined : eq(agentTestRuns.testId, testId),
    batchId === undefined ? undefined : eq(agentTestRuns.batchId, batchId),
    status === undefined ? undefined : eq(agentTestRuns.status, status),
    testType === undefined ? undefined : eq(agentTestRuns.testType, testType),
  ];
}
