import type { TestBatch, TestRun } from "#protocol/agents/test-runs";
import type { Clock } from "#common/clock";
import { CommandError } from "../command.js";
import type { PublicApi } from "../public-api.js";

/** How often a batch is asked for. */
const POLL_MS = 1000;

/**
 * Runs all tests of an agent's draft and gives the batch once every run is over. Throws CommandError, also when that
 * takes longer than `timeoutMs`; the runs go on then.
 */
export async function runAgentTests(
  api: PublicApi,
  agentId: string,
  { repeats, timeoutMs, clock }: { repeats: number | null; timeoutMs: number; clock: Clock },
): Promise<TestBatch> {
  const path = `/v1/agent/agents/${agentId}`;
  const untilMs = clock.nowMs() + timeoutMs;
  const body = repeats === null ? {} : { repeat_count: repeats };
  let batch = await api.ask<TestBatch>("POST", `${path}/tests/run`, body);
  while (!batch.completed) {
    if (clock.nowMs() >= untilMs)
      throw new CommandError(`batch ${batch.batch_id} is not over after ${timeoutMs / 1000} s: ${countRuns(batch)}`);
    await new Promise<void>((resolve) => void clock.after(POLL_MS, resolve));
    batch = await api.ask<TestBatch>("GET", `${path}/test-batches/${batch.batch_id}`);
  }
  return batch;
}

/** Share of the runs that passed: an error is no pass where somebody relies on it. */
export function passRate(batches: readonly TestBatch[]): number {
  const runs = batches.flatMap((batch) => batch.runs);
  return runs.filter(({ status }) => status === "passed").length / Math.max(1, runs.length);
}

/** `3 passed, 1 failed, 0 errors` */
export function countRuns({ passed, failed, errors }: TestBatch): string {
  return `${passed} passed, ${failed} failed, ${errors} errors`;
}

/** A line about a run, with why for one that did not pass. */
export function describeRun(run: TestRun): string {
  const review = run.needs_review ? " (needs review)" : "";
  const why = run.status === "passed" ? "" : `: ${reasonOf(run).replace(/\s+/g, " ").slice(0, 300)}`;
  return `${run.status.padEnd(6)}  ${run.test_name}${review}${why}`;
}

function reasonOf({ error, judge_reasoning, simulation_result: simulation, mock_gaps: gaps }: TestRun): string {
  const found = [
    error,
    judge_reasoning,
    ...(simulation?.assertions ?? []).filter(({ passed }) => !passed).map(({ detail }) => detail),
    ...(simulation?.conditions ?? [])
      .filter(({ result }) => result !== "success")
      .map(({ name, result, rationale }) => `${name} is ${result}: ${rationale}`),
    ...gaps.map(({ tool_name: tool }) => `nothing was prepared for a call of ${tool}`),
  ];
  return found.filter((text) => text !== "").join("; ");
}
