import type { Metrics } from "#common/metrics/registry";
import { noResultYet, type TestRunResult } from "#protocol/agents/test-runs";
import { controlSubjects } from "#protocol/bus/control";
import { type TestRunJob, testRunsQueuedSubject } from "#protocol/bus/test-runs";
import { LeasedRunner, type LeasedRunnerOptions, type RunMetrics } from "../leased-runs/leased-runner.js";

/** Takes runs of agents' tests and reports what they found out. */
export type TestRunner = LeasedRunner<TestRunJob, TestRunResult>;
export type TestRunnerOptions = Omit<LeasedRunnerOptions<TestRunJob, TestRunResult>, "subjects" | "tooLarge">;

/** Opens what is counted of test runs; `active` is read when it is scraped. */
export function createTestRunMetrics(metrics: Metrics, active: () => number): RunMetrics<TestRunResult["status"]> {
  metrics.gauge("parley_test_runs_active", active);
  const over = metrics.counter("parley_test_runs_total");
  return { over: (outcome) => over({ outcome }) };
}

/** Takes test runs from the control plane from now on. */
export function openTestRunner(options: TestRunnerOptions): TestRunner {
  const { takeTestRun: take, finishTestRun: finish } = controlSubjects;
  return new LeasedRunner({
    ...options,
    subjects: { take, finish, queued: testRunsQueuedSubject },
    tooLarge: { ...noResultYet, status: "error", error: "What was said and done in the run is too large to be stored" },
  });
}
