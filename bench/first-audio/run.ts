import { setTimeout as delay } from "node:timers/promises";
import { startCluster, type TestCluster } from "#test/harness/cluster";
import { closeAudible, durationMs, findOnset, type Onset } from "../audible.js";
import { type FirstAudioLine, type FirstAudioParts, partsOf, readFirstAudio } from "../edge-log.js";
import { watchOthers } from "../machine.js";
import type { FirstAudioScenario } from "../scenarios.js";
import { overRounds, type Spread, spread } from "../statistics.js";
import { objections } from "../validity.js";
import { type EngineAlone, loadEngineAlone } from "./engine-alone.js";
import { type BareHops, openBareHops } from "./bare-hops.js";
import { type Clause, receivedAfterMs, receivedWhole, REST_MS } from "./received.js";

const WARM_UP = 15;

export interface FirstAudioFigures {
  clusterMs: Spread;
  engineMs: Spread;
  /** Cluster over engine, of each round's medians. */
  ratio: { median: number; min: number; max: number };
  /** Cluster minus engine, of each round's medians. */
  plumbingMs: { median: number; min: number; max: number };
  /** The same way through processes that do nothing: of each round's medians. */
  hopsMs: { median: number; min: number; max: number };
  /** Cluster in this form minus cluster in `scenario.beside`, of each round's medians; null where there is none. */
  beyondMs: { median: number; min: number; max: number } | null;
  /** Silence at the beginning of the audio, which the player waits for besides. */
  leadingSilenceMs: { cluster: number; engine: number };
  /** As the edge measured them; `totalMs` from the text's arrival to its bytes' leaving. */
  parts: FirstAudioParts;
}

/** Measures cluster and engine in turns. Throws when the cluster's audio is not the engine's. */
export async function runFirstAudio(
  scenario: FirstAudioScenario,
): Promise<{ figures: FirstAudioFigures; invalid: string[] }> {
  const cluster = await startCluster({ workers: scenario.workers, settings: { LOG_LEVEL: "debug" } });
  const engine = await loadEngineAlone();
  const hops = await openBareHops(cluster.natsUrl);
  try {
    const reference = await compareAudio(cluster, engine, scenario);
    const other = scenario.beside === null ? null : { ...scenario, ...scenario.beside };
    const beside = other === null ? null : { clause: other, onset: (await compareAudio(cluster, engine, other)).onset };
    const ways: Ways = { cluster, engine, hops, clause: scenario, onset: reference.onset, beside };
    for (let i = 0; i < WARM_UP; i++) await oneTurn(ways);
    const linesBefore = readFirstAudio(cluster.dataDirectory).length;
    const others = watchOthers();
    const rounds = [];
    for (let round = 0; round < scenario.rounds; round++) {
      const turns: Turn[] = [];
      for (let i = 0; i < scenario.perRound; i++) turns.push(await oneTurn(ways));
      rounds.push(turns);
    }
    const invalid = objections({ load: others.read(), errors: cluster.complaints.length });
    // A turn has a line of each form that the cluster speaks in, the scenario's own first.
    const lines = readFirstAudio(cluster.dataDirectory)
      .slice(linesBefore)
      .filter((_, index) => beside === null || index % 2 === 0);
    return { figures: figuresOf(rounds, lines, reference), invalid };
  } finally {
    hops.close();
    await Promise.all([engine.close(), cluster.stop(), closeAudible()]);
  }
}

/** What is measured in turns. */
interface Ways {
  cluster: TestCluster;
  engine: EngineAlone;
  hops: BareHops;
  clause: Clause;
  onset: Onset;
  beside: { clause: Clause; onset: Onset } | null;
}

/** Milliseconds of each way; `beside` is NaN where there is none. */
interface Turn {
  cluster: number;
  engine: number;
  hops: number;
  beside: number;
}

async function oneTurn({ cluster, engine, hops, clause, onset, beside }: Ways): Promise<Turn> {
  const clusterMs = await receivedAfterMs(cluster, clause, onset);
  const besideMs = beside === null ? Number.NaN : await receivedAfterMs(cluster, beside.clause, beside.onset);
  await delay(REST_MS);
  const { firstAudibleMs } = await engine.speak(clause.text);
  await delay(REST_MS);
  return { cluster: clusterMs, engine: firstAudibleMs, hops: await hops.passMs(clause.text), beside: besideMs };
}

interface Reference {
  onset: Onset;
  engineLeadingMs: number;
}

/** A fast wrong answer is none: both must say the same for as long. */
async function compareAudio(cluster: TestCluster, engine: EngineAlone, scenario: Clause): Promise<Reference> {
  const bytes = await receivedWhole(cluster, scenario);
  const onset = await findOnset(bytes, scenario);
  const alone = await engine.speak(scenario.text);
  const audioMs = durationMs(bytes.byteLength, scenario);
  // An mp3 stream holds its encoder's delay and padding besides.
  const toleranceMs = 0.02 * alone.audioMs + (scenario.format === "mp3" ? 80 : 0);
  if (onset === null) throw new Error("the cluster's sound is silence");
  if (Math.abs(audioMs - alone.audioMs) > toleranceMs)
    throw new Error(`the cluster's sound lasts ${audioMs} ms, the engine's ${alone.audioMs} ms`);
  return { onset, engineLeadingMs: alone.leadingMs };
}

function figuresOf(rounds: Turn[][], lines: FirstAudioLine[], reference: Reference): FirstAudioFigures {
  const all = (way: keyof Turn): number[] => rounds.flatMap((turns) => turns.map((turn) => turn[way]));
  const medians = rounds.map((turns) => {
    const of = (way: keyof Turn): number => spread(turns.map((turn) => turn[way])).p50;
    return { cluster: of("cluster"), engine: of("engine"), hops: of("hops"), beside: of("beside") };
  });
  const beyond = medians.map(({ cluster, beside }) => cluster - beside);
  return {
    clusterMs: spread(all("cluster")),
    engineMs: spread(all("engine")),
    ratio: overRounds(medians.map(({ cluster, engine }) => cluster / engine)),
    plumbingMs: overRounds(medians.map(({ cluster, engine }) => cluster - engine)),
    hopsMs: overRounds(medians.map(({ hops }) => hops)),
    beyondMs: beyond.some(Number.isNaN) ? null : overRounds(beyond),
    leadingSilenceMs: { cluster: reference.onset.leadingMs, engine: reference.engineLeadingMs },
    parts: partsOf(lines),
  };
}
