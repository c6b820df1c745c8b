import { loadConfig } from "#common/config/config";
import { startCluster, type TestCluster } from "#test/harness/cluster";
import { type Capacity, findCapacity } from "../live-streams/capacity.js";
import { generateLoad } from "../live-streams/generator.js";
import { type GeneratorReport, STORE_MS } from "../live-streams/messages.js";
import type { LoadRun } from "../live-streams/run.js";
import { watchOthers } from "../machine.js";
import { objections } from "../validity.js";
import { type LoadFigures, loadFigures } from "./figures.js";
import type { GoodputScenario } from "./scenario.js";

/** Sockets are open and started this long before their text is due. */
const HEAD_START_MS = 500;

export interface GoodputFigures {
  capacity: Capacity;
  loads: { multiple: number; figures: LoadFigures; generator: { processorShare: number; lagP99Ms: number } }[];
}

/** Settings under which a cluster refuses what the product would refuse; the search reads the edge's log. */
export const loadedSettings = (): Record<string, string> => ({
  LOG_LEVEL: "debug",
  PARLEY_LIVE_WAIT_MS: String(loadConfig({}).PARLEY_LIVE_WAIT_MS),
});

/** Finds the capacity, then offers each multiple of it. */
export async function runGoodput(
  scenario: GoodputScenario,
  report: (run: LoadRun) => void,
): Promise<{ figures: GoodputFigures; invalid: string[] }> {
  const cluster = await startCluster({ workers: scenario.workers, settings: loadedSettings() });
  try {
    const capacity = await findCapacity(cluster, scenario.search, report);
    const loads: GoodputFigures["loads"] = [];
    const invalid: string[] = [];
    for (const multiple of scenario.multiples) {
      const others = watchOthers();
      const given = await offer(cluster, scenario, capacity.perSecond * multiple);
      const figures = loadFigures(given.streams, { fromMs: scenario.fillMs, toMs: scenario.loadMs });
      const { processorShare, lagP99Ms } = given;
      loads.push({ multiple, figures, generator: { processorShare, lagP99Ms } });
      const found = objections({
        load: others.read(),
        generatorLagP99Ms: lagP99Ms,
        judgedMs: STORE_MS,
        errors: figures.failed,
      });
      invalid.push(...found.map((reason) => `${multiple} × capacity: ${reason}`));
    }
    return { figures: { capacity, loads }, invalid };
  } finally {
    await cluster.stop();
  }
}

/** Asks for so many streams a second of the scenario's length, whatever becomes of them. */
function offer(
  { baseUrl, apiKey }: TestCluster,
  { search, loadMs }: GoodputScenario,
  perSecond: number,
): Promise<GeneratorReport> {
  const { format, sampleRate, seed } = search;
  return generateLoad({
    ...{ baseUrl, apiKey, audio: { format, sampleRate }, wordsPerSecond: null, seed },
    ...{ streams: Math.max(1, Math.round((perSecond * loadMs) / 1000)), rampMs: loadMs },
    ...{ headStartMs: HEAD_START_MS, isUrgent: true },
  });
}
