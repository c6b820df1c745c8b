import type { Metrics } from "#common/metrics/registry";
import { startTestRunner } from "../agent-tests/start-runner.js";
import { startAnalyses } from "../analysis/start-analyses.js";

type RunnerContext = Parameters<typeof startTestRunner>[0] & Parameters<typeof startAnalyses>[0];

/** What a runtime does besides conversations. */
export interface Runners {
  /** Takes no more, and gives back what is not finished. */
  drain(): Promise<void>;
  /** Lets go of everything at once. */
  close(): void;
}

/** Runs agents' tests and analyzes calls from now on. */
export function startRunners(context: RunnerContext, metrics: Metrics): Runners {
  const runners = [startTestRunner(context, metrics), startAnalyses(context, metrics)];
  return {
    drain: async () => void (await Promise.all(runners.map((runner) => runner.drain()))),
    close() {
      for (const runner of runners) runner.close();
    },
  };
}
