import { setTimeout as delay } from "node:timers/promises";
import { startCluster, type TestCluster } from "#test/harness/cluster";
import { closeAudible, durationMs, findOnset, type Onset } from "../audible.js";
import { type FirstAudioLine, type FirstAudioParts, partsOf, readFirstAudio } from "../edge-log.js";
import { watchOthers } from "../machine.js";
import type { FirstAudioScenario } from "../scenarios.js";
import { overRounds, type Spread, spread } from "../statistics.js";
import { objections } from "../validity.js";
import { type EngineAlone, loadEngineAlone } from "./engine-alone.js";
import { receivedAfterMs, receivedWhole, REST_MS } from "./received.js";

const WARM_UP = 15;

export interface FirstAudioFigures {
  clusterMs: Spread;
  engineMs: Spread;
  /** Cluster over engine, of each round's medians. */
  ratio: { median: number; min: number; max: number };
  /** Cluster minus engine, of each round's medians. */
  plumbingMs: { median: number; min: number; max: number };
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
  try {
    const reference = await compareAudio(cluster, engine, scenario);
    for (let i = 0; i < WARM_UP; i++) {
      await receivedAfterMs(cluster, scenario, reference.onset);
      await engine.speak(scenario.text);
    }
    const linesBefore = readFirstAudio(cluster.dataDirectory).length;
    const others = watchOthers();
    const rounds = [];
    for (let round = 0; round < scenario.rounds; round++)
      rounds.push(await oneRound(cluster, engine, scenario, reference.onset));
    const invalid = objections({ load: others.read(), errors: cluster.complaints.length });
    const lines = readFirstAudio(cluster.dataDirectory).slice(linesBefore);
    return { figures: figuresOf(rounds, lines, reference), invalid };
  } finally {
    await Promise.all([engine.close(), cluster.stop(), closeAudible()]);
  }
}

interface Round {
  cluster: number[];
  engine: number[];
}

async function oneRound(
  cluster: TestCluster,
  engine: EngineAlone,
  scenario: FirstAudioScenario,
  onset: Onset,
): Promise<Round> {
  const round: Round = { cluster: [], engine: [] };
  for (let i = 0; i < scenario.perRound; i++) {
    round.cluster.push(await receivedAfterMs(cluster, scenario, onset));
    await delay(REST_MS);
    round.engine.push((await engine.speak(scenario.text)).firstAudibleMs);
  }
  return round;
}

interface Reference {
  onset: Onset;
  engineLeadingMs: number;
}

/** A fast wrong answer is none: both must say the same for as long. */
async function compareAudio(
  cluster: TestCluster,
  engine: EngineAlone,
  scenario: FirstAudioScenario,
): Promise<Reference> {
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

function figuresOf(rounds: Round[], lines: FirstAudioLine[], reference: Reference): FirstAudioFigures {
  const medians = rounds.map(({ cluster, engine }) => ({ cluster: spread(cluster).p50, engine: spread(engine).p50 }));
  return {
    clusterMs: spread(rounds.flatMap((round) => round.cluster)),
    engineMs: spread(rounds.flatMap((round) => round.engine)),
    ratio: overRounds(medians.map(({ cluster, engine }) => cluster / engine)),
    plumbingMs: overRounds(medians.map(({ cluster, engine }) => cluster - engine)),
    leadingSilenceMs: { cluster: reference.onset.leadingMs, engine: reference.engineLeadingMs },
    parts: partsOf(lines),
  };
}
