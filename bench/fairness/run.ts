import { startCluster, type TestCluster } from "#test/harness/cluster";
import { addTeamTo } from "#test/harness/team";
import { type LoadFigures, loadFigures } from "../goodput/figures.js";
import { loadedSettings } from "../goodput/run.js";
import { type Capacity, findCapacity } from "../live-streams/capacity.js";
import { generateLoad } from "../live-streams/generator.js";
import { type GeneratorReport, STORE_MS } from "../live-streams/messages.js";
import type { LoadRun } from "../live-streams/run.js";
import { watchOthers } from "../machine.js";
import { overRounds } from "../statistics.js";
import { objections } from "../validity.js";
import type { FairnessScenario } from "./scenario.js";

/** Sockets are open and started this long before their text is due. */
const HEAD_START_MS = 500;

export interface FairnessFigures {
  capacity: Capacity;
  /** All rounds together. */
  alone: LoadFigures;
  beside: LoadFigures;
  flood: LoadFigures;
  /** Beside over alone, of each round. */
  p50Ratio: ReturnType<typeof overRounds>;
  /** Of all rounds together: one round is too short for a 99th percentile. */
  p99Ratio: number;
  generatorLagP99Ms: number;
}

/** Measures the quiet team alone and beside the flood, in turns. */
export async function runFairness(
  scenario: FairnessScenario,
  report: (run: LoadRun) => void,
): Promise<{ figures: FairnessFigures; invalid: string[] }> {
  const cluster = await startCluster({ workers: scenario.workers, settings: loadedSettings() });
  try {
    const [quietKey, floodKey] = [await addTeamTo(cluster, "quiet"), await addTeamTo(cluster, "flood")];
    const capacity = await findCapacity(cluster, scenario.search, report);
    const load = (apiKey: string, part: number, seed: number): Promise<GeneratorReport> =>
      offer(cluster, scenario, { apiKey, perSecond: part * capacity.perSecond, seed });
    const others = watchOthers();
    const rounds: Round[] = [];
    for (let round = 0; round < scenario.rounds; round++) {
      const seed = scenario.search.seed + round;
      const alone = await load(quietKey, scenario.quietPart, seed);
      const [beside, flood] = await Promise.all([
        load(quietKey, scenario.quietPart, seed),
        load(floodKey, scenario.floodPart, seed + scenario.rounds),
      ]);
      rounds.push({ alone, beside, flood });
    }
    const figures = { capacity, ...figuresOf(rounds, scenario) };
    const { alone, beside, flood, generatorLagP99Ms } = figures;
    const errors = alone.failed + beside.failed + flood.failed;
    return { figures, invalid: objections({ load: others.read(), generatorLagP99Ms, judgedMs: STORE_MS, errors }) };
  } finally {
    await cluster.stop();
  }
}

interface Round {
  alone: GeneratorReport;
  beside: GeneratorReport;
  flood: GeneratorReport;
}

function figuresOf(rounds: readonly Round[], scenario: FairnessScenario): Omit<FairnessFigures, "capacity"> {
  const counted = { fromMs: scenario.fillMs, toMs: scenario.loadMs };
  // Seconds of all rounds together.
  const together = (reports: readonly GeneratorReport[]): LoadFigures => {
    const figures = loadFigures(
      reports.flatMap(({ streams }) => streams),
      counted,
    );
    const { goodPerSecond, offeredPerSecond } = figures;
    const perRound = (perSecond: number): number => perSecond / reports.length;
    return { ...figures, goodPerSecond: perRound(goodPerSecond), offeredPerSecond: perRound(offeredPerSecond) };
  };
  const p50 = (report: GeneratorReport): number => loadFigures(report.streams, counted).firstAudioMs.p50;
  const [alone, beside] = [together(rounds.map((one) => one.alone)), together(rounds.map((one) => one.beside))];
  return {
    alone,
    beside,
    flood: together(rounds.map((one) => one.flood)),
    p50Ratio: overRounds(rounds.map((one) => p50(one.beside) / p50(one.alone))),
    p99Ratio: beside.firstAudioMs.p99 / alone.firstAudioMs.p99,
    generatorLagP99Ms: Math.max(...rounds.flatMap((one) => Object.values(one).map(({ lagP99Ms }) => lagP99Ms))),
  };
}

function offer(
  { baseUrl }: TestCluster,
  { search, loadMs }: FairnessScenario,
  { apiKey, perSecond, seed }: { apiKey: string; perSecond: number; seed: number },
): Promise<GeneratorReport> {
  const { format, sampleRate } = search;
  return generateLoad({
    ...{ baseUrl, apiKey, audio: { format, sampleRate }, wordsPerSecond: null, seed },
    ...{ streams: Math.max(1, Math.round((perSecond * loadMs) / 1000)), rampMs: loadMs },
    ...{ headStartMs: HEAD_START_MS, isUrgent: true },
  });
}
