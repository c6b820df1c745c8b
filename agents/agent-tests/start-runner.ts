import type { Metrics } from "#common/metrics/registry";
import type { Bus } from "#common/bus/bus";
import type { Config } from "#common/config/config";
import { runTest, type TestRunContext } from "./run-test.js";
import { createTestRunMetrics, openTestRunner, type TestRunner } from "./test-runner.js";

/** Takes and runs agents' tests from now on. */
export function startTestRunner(
  context: TestRunContext & { bus: Bus; config: Pick<Config, "AGENT_TEST_CONCURRENCY"> },
  metrics: Metrics,
): TestRunner {
  const { bus, clock, log, config } = context;
  const runner: TestRunner = openTestRunner({
    ...{ bus, clock, log },
    places: config.AGENT_TEST_CONCURRENCY,
    run: (job, signal) => runTest(context, job, signal),
    metrics: createTestRunMetrics(metrics, () => runner.active),
  });
  return runner;
}
