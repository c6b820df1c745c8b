import { fileURLToPath } from "node:url";
import { loadConfig } from "#common/config/config";
import type { Scenario } from "../simulation/scenario.js";
import { streamsPerSecond } from "../simulation/simulation.js";
import { runTask } from "../task-process.js";
import type { SimulatedLine } from "./figures.js";
import type { SimulationTask } from "./process.js";
import type { SimulatedLoadScenario } from "./scenario.js";

const program = fileURLToPath(new URL("./process.js", import.meta.url));
/** A stream that is being spoken takes some kilobytes, and half a million are at once. */
const HEAP_MEGABYTES = 14_000;
/** Members of the other roles for so many workers. */
const WORKERS_PER_SCHEDULER = 1000;
const WORKERS_PER_EDGE = 100;

export interface SimulatedLoadFigures {
  whole: SimulatedLine;
  parts: SimulatedLine[];
}

/** Simulates the large cluster once, and a part of it at each load. */
export async function runSimulatedLoad(
  scenario: SimulatedLoadScenario,
): Promise<{ figures: SimulatedLoadFigures; invalid: string[] }> {
  const { workers, streams, arrivalSeconds, partWorkers, multiples, partArrivalSeconds, fillSeconds } = scenario;
  const parts: SimulatedLine[] = [];
  for (const multiple of multiples) {
    const given = clusterOf(scenario, partWorkers, partArrivalSeconds);
    const count = Math.round(multiple * streamsPerSecond(given) * partArrivalSeconds);
    parts.push(await simulateIn({ ...given, streams: count }, multiple, fillSeconds));
  }
  const given = { ...clusterOf(scenario, workers, arrivalSeconds), streams };
  const whole = await simulateIn(given, streams / arrivalSeconds / streamsPerSecond(given), fillSeconds);
  const unfinished = [whole, ...parts].reduce((sum, line) => sum + line.unfinished, 0);
  return { figures: { whole, parts }, invalid: unfinished === 0 ? [] : [`${unfinished} streams had no end`] };
}

function simulateIn(scenario: Scenario, multiple: number, fillSeconds: number): Promise<SimulatedLine> {
  const [fromMs, toMs] = [fillSeconds * 1000, scenario.arrivalSeconds * 1000];
  return runTask<SimulationTask, SimulatedLine>(program, { scenario, multiple, fromMs, toMs }, [
    `--max-old-space-size=${HEAP_MEGABYTES}`,
  ]);
}

function clusterOf(given: SimulatedLoadScenario, workers: number, arrivalSeconds: number): Scenario {
  const { seed, engineBaseMs, realTimeFactor, deathsPerMinute, restartMs, name } = given;
  const config = loadConfig({});
  return {
    ...{ name, seed, workers, arrivalSeconds, engineBaseMs, realTimeFactor, streams: 0 },
    schedulers: Math.max(2, Math.ceil(workers / WORKERS_PER_SCHEDULER)),
    slotsPerWorker: 1,
    edges: Math.max(2, Math.ceil(workers / WORKERS_PER_EDGE)),
    ...{ freeFraction: 0.1, bulkFraction: 0.1, meanChunks: 8 },
    workerKills: Math.round((workers * deathsPerMinute * arrivalSeconds) / 60),
    workerRestartMs: restartMs,
    queueChunks: config.PARLEY_QUEUE_CHUNKS,
    admissionWaitMs: config.PARLEY_ADMISSION_WAIT_MS,
    liveWaitMs: config.PARLEY_LIVE_WAIT_MS,
    patience: 0,
    schedulerKillAtMs: null,
  };
}
