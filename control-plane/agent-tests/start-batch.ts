import { and, asc, eq, inArray } from "drizzle-orm";
import { newIdentifier } from "#common/identifier";
import { agentConfig } from "#protocol/agents/config";
import { MAX_TEST_RUNS, type TestDefinition, type testRunRequest } from "#protocol/agents/tests";
import { type Problem, ServiceError } from "#protocol/errors";
import type { z } from "zod";
import type { Attachables } from "../agents/attachables.js";
import { configHash } from "../agents/config/config-hash.js";
import { freezeAttachments } from "../agents/draft.js";
import { lockAgent } from "../agents/store.js";
import type { Db } from "../database/database.js";
import type { PinnedSource } from "../knowledge/store.js";
import type { FrozenTool } from "../tools/store.js";
import { runPlan } from "./run-plan.js";
import { agentTestBatches, agentTestBatchTests, agentTestRuns, type RunRow } from "./run-tables.js";
import { agentTestAttachments, agentTests, type TestRow } from "./tables.js";

/** Rows of one insert. */
const RUNS_PER_INSERT = 200;

export interface BatchStart {
  teamId: string;
  agentId: string;
  body: z.output<typeof testRunRequest>;
  now: Date;
}

/**
 * Puts runs of an agent's tests into the queue, with the draft, its tools and its knowledge and the tests as they are
 * at this moment; gives the batch's id. Throws `not_found` and `validation`.
 */
export async function startBatch(
  db: Db,
  attachables: Attachables,
  { teamId, agentId, body, now }: BatchStart,
): Promise<string> {
  return await db.transaction(async (tx) => {
    const agent = await lockAgent(tx, teamId, agentId);
    const tests = await testsToRun(tx, teamId, agentId, body.test_ids);
    const config = agentConfig.parse(agent.draft);
    const attachments = await freezeAttachments(tx, attachables, teamId, config);
    const batchId = newIdentifier();
    const plan = runPlan({
      ...{ batchId, teamId, agentId, agentName: agent.name, config, now },
      tools: attachments.tools as FrozenTool[],
      knowledge: attachments.knowledge as PinnedSource[],
    });
    const hash = configHash(config, attachments);
    await tx.insert(agentTestBatches).values({ id: batchId, teamId, agentId, configHash: hash, plan, createdAt: now });
    for (const { id, definition } of tests)
      await tx.insert(agentTestBatchTests).values({ batchId, testId: id, definition });
    const runs = runsOf(tests, body.repeat_count).map(
      ({ test, repeatIndex }, position): RunRow => ({
        id: newIdentifier(),
        ...{ batchId, teamId, agentId, position, repeatIndex, configHash: hash, createdAt: now },
        ...{ testId: test.id, testName: test.name, testType: test.testType },
        ...{ status: "queued", attempt: 0, leaseUntil: null, result: null, startedAt: null, finishedAt: null },
      }),
    );
    for (let start = 0; start < runs.length; start += RUNS_PER_INSERT)
      await tx.insert(agentTestRuns).values(runs.slice(start, start + RUNS_PER_INSERT));
    return batchId;
  });
}

/** The tests that are named, in that order and each once, or all that are attached, oldest first. */
async function testsToRun(
  tx: Db,
  teamId: string,
  agentId: string,
  testIds: readonly string[] | undefined,
): Promise<TestRow[]> {
  if (testIds === undefined) {
    const attached = tx
      .select({ id: agentTestAttachments.testId })
      .from(agentTestAttachments)
      .where(eq(agentTestAttachments.agentId, agentId));
    const tests = await tx
      .select()
      .from(agentTests)
      .where(and(eq(agentTests.teamId, teamId), inArray(agentTests.id, attached)))
      .orderBy(asc(agentTests.createdAt), asc(agentTests.id));
    if (tests.length > 0) return tests;
    throw invalid("missing", "test_ids", "The agent has no tests: attach some, or name them");
  }
  if (testIds.length === 0)
    throw invalid("missing", "test_ids", "No test is named: leave test_ids out to run those that are attached");
  const ids = [...new Set(testIds)].filter((id) => /^[0-9a-f]{32}$/.test(id));
  const known =
    ids.length === 0
      ? []
      : await tx
          .select()
          .from(agentTests)
          .where(and(eq(agentTests.teamId, teamId), inArray(agentTests.id, ids)));
  const byId = new Map(known.map((test) => [test.id, test]));
  const problems: Problem[] = testIds.flatMap((id, index) =>
    byId.has(id) ? [] : [{ type: "unknown_reference", loc: ["body", "test_ids", index], msg: "Test not found" }],
  );
  if (problems.length > 0) throw new ServiceError("validation", { problems });
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** Each test as often as the request says, else as the test does. Throws `validation` for too many. */
function runsOf(tests: readonly TestRow[], repeatCount: number | undefined): { test: TestRow; repeatIndex: number }[] {
  const times = (definition: TestDefinition): number => repeatCount ?? definition.simulation?.repeat_count ?? 1;
  const total = tests.reduce((sum, { definition }) => sum + times(definition), 0);
  if (total > MAX_TEST_RUNS)
    throw invalid("too_long", "repeat_count", `${total} runs are more than the ${MAX_TEST_RUNS} of one batch`);
  return tests.flatMap((test) =>
    Array.from({ length: times(test.definition) }, (_, repeatIndex) => ({ test, repeatIndex })),
  );
}

function invalid(type: string, field: string, msg: string): ServiceError {
  return new ServiceError("validation", { problems: [{ type, loc: ["body", field], msg }] });
}
