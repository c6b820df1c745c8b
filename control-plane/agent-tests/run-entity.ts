import {
  noResultYet,
  type TestBatch,
  type TestBatchSummary,
  type TestRun,
  type TestRunDetail,
  type TestRunSummary,
} from "#protocol/agents/test-runs";
import type { TestDefinition } from "#protocol/agents/tests";
import type { BatchRow, RunRow } from "./run-tables.js";

/** How many runs of a batch there are in each state. */
export type RunCounts = Record<RunRow["status"], number>;

/** What a batch shows of the states of its runs. */
export type BatchProgress = Pick<TestBatch, "status" | "completed" | "passed" | "failed" | "errors" | "pass_rate">;

/** Says how far a batch is, and how well it went: errors count neither way. Pure. */
export function progressOf({ queued, running, passed, failed, error }: RunCounts): BatchProgress {
  const completed = queued + running === 0;
  return {
    status: completed ? "completed" : "running",
    completed,
    ...{ passed, failed, errors: error },
    pass_rate: passed + failed === 0 ? null : passed / (passed + failed),
  };
}

/** The part of a batch row that is shown. */
export type ShownBatch = Pick<BatchRow, "id" | "agentId" | "configHash" | "createdAt">;

/** A batch with its runs, in order. */
export function toBatch(batch: ShownBatch, runs: readonly RunRow[]): TestBatch {
  const counts: RunCounts = { queued: 0, running: 0, passed: 0, failed: 0, error: 0 };
  for (const { status } of runs) counts[status]++;
  return { ...identityOf(batch), ...progressOf(counts), runs: runs.map(toRun) };
}

/** A batch as a list shows it. */
export function toBatchSummary(batch: ShownBatch, counts: RunCounts): TestBatchSummary {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return { ...identityOf(batch), ...progressOf(counts), total };
}

function identityOf(batch: ShownBatch): Pick<TestBatch, "batch_id" | "agent_id" | "config_hash" | "created_at"> {
  return {
    batch_id: batch.id,
    agent_id: batch.agentId,
    config_hash: batch.configHash,
    created_at: batch.createdAt.toISOString(),
  };
}

function toRun(row: RunRow): TestRun {
  const { judge_prompt: _, ...result } = row.result ?? noResultYet;
  return { ...result, ...identityOfRun(row) };
}

/** A run as a list shows it. */
export function toRunSummary(row: RunRow): TestRunSummary {
  const { agent_reply: _, judge_reasoning: __, simulation_result: ___, ...summary } = toRun(row);
  return summary;
}

/** A run as it is read alone. */
export function toRunDetail(row: RunRow, { conversation }: Pick<TestDefinition, "conversation">): TestRunDetail {
  return { ...(row.result ?? noResultYet), ...identityOfRun(row), conversation };
}

function identityOfRun(row: RunRow) {
  return {
    run_id: row.id,
    test_id: row.testId,
    test_name: row.testName,
    agent_id: row.agentId,
    batch_id: row.batchId,
    test_type: row.testType,
    repeat_index: row.repeatIndex,
    status: row.status,
    created_at: row.createdAt.toISOString(),
    started_at: row.startedAt?.toISOString() ?? null,
    finished_at: row.finishedAt?.toISOString() ?? null,
    config_hash: row.configHash,
  };
}
