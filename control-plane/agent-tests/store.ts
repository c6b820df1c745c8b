import { and, asc, eq, inArray, type SQL, sql } from "drizzle-orm";
import { newIdentifier } from "#common/identifier";
import type { TestDefinition, TestListQuery, TestSummary } from "#protocol/agents/tests";
import { type Problem, ServiceError } from "#protocol/errors";
import { holdAgents } from "../agents/store.js";
import type { Db } from "../database/database.js";
import { newestFirst, type Page, within } from "../http/paging.js";
import { foldText } from "../voices/store.js";
import { agentTestAttachments, agentTests, type TestRow } from "./tables.js";

/** A test with the agents that it is attached to, by id. */
export interface AttachedTest {
  row: TestRow;
  agentIds: string[];
}

function isTestId(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text);
}

const owned = (teamId: string, testId: string): SQL | undefined =>
  and(eq(agentTests.teamId, teamId), eq(agentTests.id, testId));

/** The team's test. Throws `not_found`, for another team's as for a missing one. */
export async function findTest(db: Db, teamId: string, testId: string): Promise<AttachedTest> {
  const [row] = isTestId(testId) ? await db.select().from(agentTests).where(owned(teamId, testId)) : [];
  if (row === undefined) throw new ServiceError("not_found");
  return { row, agentIds: (await agentsOf(db, [row.id])).get(row.id) ?? [] };
}

async function agentsOf(db: Db, testIds: string[]): Promise<Map<string, string[]>> {
  const byTest = new Map<string, string[]>();
  if (testIds.length === 0) return byTest;
  const rows = await db
    .select()
    .from(agentTestAttachments)
    .where(inArray(agentTestAttachments.testId, testIds))
    .orderBy(asc(agentTestAttachments.agentId));
  for (const { testId, agentId } of rows) byTest.set(testId, [...(byTest.get(testId) ?? []), agentId]);
  return byTest;
}

/** Writes a new test and its attachments. Throws `validation` for agents that the team does not have. */
export async function insertTest(
  db: Db,
  test: { teamId: string; definition: TestDefinition; agentIds: readonly string[]; now: Date },
): Promise<AttachedTest> {
  const { teamId, definition, now } = test;
  const agentIds = [...new Set(test.agentIds)].sort();
  return await db.transaction(async (tx) => {
    const known = await holdAgents(tx, teamId, agentIds);
    const problems: Problem[] = test.agentIds.flatMap((id, index) =>
      known.has(id) ? [] : [{ type: "unknown_reference", loc: ["body", "agent_ids", index], msg: "Agent not found" }],
    );
    if (problems.length > 0) throw new ServiceError("validation", { problems });
    const row: TestRow = { id: newIdentifier(), teamId, ...columnsOf(definition), createdAt: now, updatedAt: now };
    await tx.insert(agentTests).values(row);
    if (agentIds.length > 0)
      await tx.insert(agentTestAttachments).values(agentIds.map((agentId) => ({ testId: row.id, agentId })));
    return { row, agentIds };
  });
}

function columnsOf(definition: TestDefinition): Pick<TestRow, "name" | "nameFolded" | "testType" | "definition"> {
  return { name: definition.name, nameFolded: foldText(definition.name), testType: definition.test_type, definition };
}

/**
 * Replaces a test's definition by what `change` makes of it; changes take turns. Throws `not_found` and what `change`
 * throws.
 */
export async function changeTest(
  db: Db,
  owner: { teamId: string; testId: string },
  change: (definition: TestDefinition) => TestDefinition,
  now: Date,
): Promise<void> {
  const where = owned(owner.teamId, owner.testId);
  await db.transaction(async (tx) => {
    const [row] = await tx.select().from(agentTests).where(where).for("no key update");
    if (row === undefined) throw new ServiceError("not_found");
    await tx
      .update(agentTests)
      .set({ ...columnsOf(change(row.definition)), updatedAt: now })
      .where(where);
  });
}

/** Deletes the team's test everywhere it is attached. Throws `not_found`. */
export async function deleteTest(db: Db, teamId: string, testId: string): Promise<void> {
  const gone = await db.delete(agentTests).where(owned(teamId, testId)).returning({ id: agentTests.id });
  if (gone.length === 0) throw new ServiceError("not_found");
}

/** Attaches a test to an agent; done already is done. Throws `not_found` when the team lacks either. */
export async function attachTest(db: Db, teamId: string, agentId: string, testId: string): Promise<void> {
  await db.transaction(async (tx) => {
    const held = await holdAgents(tx, teamId, [agentId]);
    const [test] = isTestId(testId)
      ? await tx.select({ id: agentTests.id }).from(agentTests).where(owned(teamId, testId)).for("key share")
      : [];
    if (!held.has(agentId) || test === undefined) throw new ServiceError("not_found");
    await tx.insert(agentTestAttachments).values({ testId, agentId }).onConflictDoNothing();
  });
}

/** Detaches a test from an agent; done already is done. The caller has made sure that both are the team's. */
export async function detachTest(db: Db, agentId: string, testId: string): Promise<void> {
  await db
    .delete(agentTestAttachments)
    .where(and(eq(agentTestAttachments.agentId, agentId), eq(agentTestAttachments.testId, testId)));
}

/**
 * One page of the team's tests, and how many match in all where the page wants to know. `agent_id` must be an id of
 * ours.
 */
export async function listTests(
  db: Db,
  teamId: string,
  query: TestListQuery,
  page: Page,
): Promise<{ read: TestRow[]; total: number | null }> {
  // Postgres refuses U+0000 in a parameter, and no stored text holds one.
  if (query.search?.includes("\u0000") === true) return { read: [], total: page.wantsTotal ? 0 : null };
  const part = foldText(query.search ?? "");
  const ofAgent = db
    .select({ id: agentTestAttachments.testId })
    .from(agentTestAttachments)
    .where(eq(agentTestAttachments.agentId, query.agent_id ?? ""));
  const where = and(
    eq(agentTests.teamId, teamId),
    part === "" ? undefined : sql`strpos(${agentTests.nameFolded}, ${part}) > 0`,
    query.agent_id === undefined ? undefined : inArray(agentTests.id, ofAgent),
  );
  const read = await db
    .select()
    .from(agentTests)
    .where(within(page, where, agentTests))
    .orderBy(...newestFirst(agentTests))
    .limit(page.limit)
    .offset(page.offset);
  if (!page.wantsTotal) return { read, total: null };
  const [counted] = await db.select({ total: sql<number>`count(*)::int` }).from(agentTests).where(where);
  return { read, total: counted?.total ?? 0 };
}

/** Tests as a list shows them, in the same order. */
export async function toSummaries(db: Db, rows: TestRow[]): Promise<TestSummary[]> {
  const attached = await agentsOf(
    db,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => toSummary({ row, agentIds: attached.get(row.id) ?? [] }));
}

/** A test without its definition. A team is its one workspace. */
export function toSummary({ row, agentIds }: AttachedTest): TestSummary {
  return {
    test_id: row.id,
    workspace_id: row.teamId,
    name: row.name,
    test_type: row.testType,
    agent_ids: agentIds,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}
