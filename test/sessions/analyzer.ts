import { connectNats } from "#common/bus/nats";
import { systemClock } from "#common/clock";
import { loadConfig } from "#common/config/config";
import { createOutbound } from "#common/outbound/outbound";
import type { Sealer } from "#common/secrets/sealer";
import { openTokenCounter } from "#common/text/token-count";
import { analyze } from "#agents/analysis/analyze";
import { openAnalysisRunner } from "#agents/analysis/start-analyses";
import { silentLog } from "../control-plane/databases.js";
import { testDoors } from "../control-plane/service.js";

/** The part of a runtime that analyzes calls, in this process, on a connection of its own. */
export interface Analyzer {
  /** As a process that is stopped. */
  drain(): Promise<void>;
  /** As a process that is killed. */
  kill(): Promise<void>;
}

export async function startAnalyzer(
  natsUrl: string,
  settings: Record<string, string>,
  sealer: Sealer = testDoors().sealer,
): Promise<Analyzer> {
  const bus = await connectNats({ url: natsUrl, name: "agent", log: silentLog });
  const config = loadConfig(settings);
  const outbound = createOutbound({ allow: [], log: silentLog });
  const context = { config, outbound, sealer, log: silentLog, countTokens: await openTokenCounter() };
  const runner = openAnalysisRunner({
    ...{ bus, clock: systemClock, log: silentLog },
    places: config.AGENT_ANALYSIS_CONCURRENCY,
    run: (job, signal) => analyze(context, job, signal),
    metrics: { over: () => undefined },
  });
  const analyzer: Analyzer = {
    async drain() {
      await runner.drain();
      await analyzer.kill();
    },
    async kill() {
      runner.close();
      await bus.close();
    },
  };
  return analyzer;
}
