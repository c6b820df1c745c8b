import type { Bus } from "#common/bus/bus";
import type { Clock } from "#common/clock";
import type { Config } from "#common/config/config";
import type { Metrics } from "#common/metrics/registry";
import { type AnalysisResult, noFindings } from "#protocol/agents/analysis";
import { type AnalysisJob, analysesQueuedSubject } from "#protocol/bus/analyses";
import { controlSubjects } from "#protocol/bus/control";
import { LeasedRunner, type LeasedRunnerOptions } from "../leased-runs/leased-runner.js";
import { type AnalysisContext, analyze } from "./analyze.js";

type Runner = LeasedRunner<AnalysisJob, AnalysisResult>;
export type AnalysisRunnerOptions = Omit<LeasedRunnerOptions<AnalysisJob, AnalysisResult>, "subjects" | "tooLarge">;

/** Takes analyses from the control plane from now on, and reports what they found out. */
export function openAnalysisRunner(options: AnalysisRunnerOptions): Runner {
  const { takeAnalysis: take, finishAnalysis: finish } = controlSubjects;
  return new LeasedRunner({
    ...options,
    subjects: { take, finish, queued: analysesQueuedSubject },
    tooLarge: { ...noFindings, status: "error", error: "What was found out is too large to be stored" },
  });
}

/** Analyzes calls that are over, from now on. */
export function startAnalyses(
  context: AnalysisContext & { bus: Bus; clock: Clock; config: Pick<Config, "AGENT_ANALYSIS_CONCURRENCY"> },
  metrics: Metrics,
): Runner {
  const { bus, clock, log, config } = context;
  metrics.gauge("parley_analyses_active", () => runner.active);
  const over = metrics.counter("parley_analyses_total");
  const runner: Runner = openAnalysisRunner({
    ...{ bus, clock, log },
    places: config.AGENT_ANALYSIS_CONCURRENCY,
    run: (job, signal) => analyze(context, job, signal),
    metrics: { over: (outcome) => over({ outcome }) },
  });
  return runner;
}
