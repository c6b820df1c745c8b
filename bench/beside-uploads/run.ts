import { setTimeout as delay } from "node:timers/promises";
import { RECOGNITION_RATE } from "#protocol/transcription/chunk";
import { closeDecoderThreads } from "#audio/decoding/decoder-pool";
import { allModels, startCluster } from "#test/harness/cluster";
import { closeAudible, findOnset } from "../audible.js";
import { type FirstAudioLine, type FirstAudioParts, partsOf, readFirstAudio } from "../edge-log.js";
import { receivedAfterMs, receivedWhole } from "../first-audio/received.js";
import { watchOthers } from "../machine.js";
import type { BesideUploadsScenario } from "../scenarios.js";
import { overRounds, type Spread, spread } from "../statistics.js";
import { makeRecordings } from "../transcription/files.js";
import { objections } from "../validity.js";
import type { UploadTask } from "./messages.js";
import { startUploads } from "./uploads.js";

const WARM_UP = 15;
/** Until uploads fill every slot. */
const FILL_MS = 2000;
const READY_MS = 300_000;

export interface BesideUploadsFigures {
  aloneMs: Spread;
  besideMs: Spread;
  /** Beside uploads over alone, of each round. */
  p50Ratio: ReturnType<typeof overRounds>;
  /** Of all rounds together: one round is too short for a 99th percentile. */
  p99Ratio: number;
  /** Audio seconds transcribed per second meanwhile. */
  uploadSpeed: ReturnType<typeof overRounds>;
  /** Cores of the process that sends the files. */
  uploaderCores: number;
  /** Where the time went, as the edge measured it. */
  parts: { alone: FirstAudioParts; beside: FirstAudioParts };
}

/** Measures first audio with nothing else to do and beside uploads, in turns. Throws when an upload fails. */
export async function runBesideUploads(
  scenario: BesideUploadsScenario,
): Promise<{ figures: BesideUploadsFigures; invalid: string[] }> {
  const recordings = await makeRecordings(scenario);
  await closeDecoderThreads();
  const cluster = await startCluster({
    workers: scenario.workers,
    models: allModels,
    readyMs: READY_MS,
    settings: { LOG_LEVEL: "debug" },
  });
  try {
    const onset = await findOnset(await receivedWhole(cluster, scenario), scenario);
    if (onset === null) throw new Error("what was received is silence");
    const clauses = async (count: number): Promise<number[]> => {
      const received: number[] = [];
      for (let i = 0; i < count; i++) received.push(await receivedAfterMs(cluster, scenario, onset));
      return received;
    };
    const task: UploadTask = {
      ...{ baseUrl: cluster.baseUrl, apiKey: cluster.apiKey, uploads: scenario.uploads },
      files: recordings.map(({ name, bytes, samples }) => ({
        name,
        bytes,
        seconds: samples.length / RECOGNITION_RATE,
      })),
    };
    await clauses(WARM_UP);
    const linesBefore = readFirstAudio(cluster.dataDirectory).length;
    const others = watchOthers();
    const rounds: Round[] = [];
    for (let at = 0; at < scenario.rounds; at++) {
      const alone = await clauses(scenario.perRound);
      const uploads = startUploads(task);
      await delay(FILL_MS);
      const beside = await clauses(scenario.perRound);
      const { audioSeconds, wallSeconds, processorSeconds, problems } = await uploads.stop();
      if (problems[0] !== undefined) throw new Error(problems[0]);
      rounds.push({ alone, beside, speed: audioSeconds / wallSeconds, cores: processorSeconds / wallSeconds });
    }
    const invalid = objections({ load: others.read(), errors: cluster.complaints.length });
    const lines = readFirstAudio(cluster.dataDirectory).slice(linesBefore);
    return { figures: { ...figuresOf(rounds), parts: partsOfTurns(lines, scenario.perRound) }, invalid };
  } finally {
    await Promise.all([cluster.stop(), closeAudible()]);
  }
}

interface Round {
  alone: number[];
  beside: number[];
  speed: number;
  cores: number;
}

/** The clauses were spoken one after another: so many alone, so many beside uploads, and again. */
function partsOfTurns(lines: readonly FirstAudioLine[], perTurn: number): BesideUploadsFigures["parts"] {
  const isAlone = (at: number): boolean => Math.floor(at / perTurn) % 2 === 0;
  return {
    alone: partsOf(lines.filter((_, at) => isAlone(at))),
    beside: partsOf(lines.filter((_, at) => !isAlone(at))),
  };
}

function figuresOf(rounds: readonly Round[]): Omit<BesideUploadsFigures, "parts"> {
  const aloneMs = spread(rounds.flatMap(({ alone }) => alone));
  const besideMs = spread(rounds.flatMap(({ beside }) => beside));
  return {
    aloneMs,
    besideMs,
    p50Ratio: overRounds(rounds.map(({ alone, beside }) => spread(beside).p50 / spread(alone).p50)),
    p99Ratio: besideMs.p99 / aloneMs.p99,
    uploadSpeed: overRounds(rounds.map(({ speed }) => speed)),
    uploaderCores: overRounds(rounds.map(({ cores }) => cores)).median,
  };
}
