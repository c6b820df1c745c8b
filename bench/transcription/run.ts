import { RECOGNITION_RATE } from "#protocol/transcription/chunk";
import type { Transcript } from "#protocol/transcription/request";
import { closeDecoderThreads } from "#audio/decoding/decoder-pool";
import { startCluster, type TestCluster } from "#test/harness/cluster";
import { watchOthers } from "../machine.js";
import { processSeconds } from "../processor-time.js";
import type { TranscriptionScenario } from "../scenarios.js";
import { overRounds } from "../statistics.js";
import { objections } from "../validity.js";
import { loadRecognizerAlone, type RecognizerAlone } from "./engine-alone.js";
import { makeRecordings, type Recording } from "./files.js";

type OverRounds = ReturnType<typeof overRounds>;

export interface TranscriptionFigures {
  audioSeconds: number;
  files: number;
  /** Audio seconds per second through `/v1/asr`. */
  cluster: OverRounds;
  /** Audio seconds per second of the recognizer called in a loop, by pieces in a call; nothing decoded or cut. */
  engine: { batch: number; speed: OverRounds; processorMs: number }[];
  /**
   * Processor time of each kind of process for a second of audio, milliseconds; `client` sends the files. Holds on a
   * busy machine, too.
   */
  processorMs: Record<string, number>;
  /** Cluster over the engine at its best batch, round by round. */
  ratio: OverRounds;
  /** Words that both recognized, as a share of the engine's. */
  sameWords: number;
}

const batches = [1, 8];
/** Patient: with `--despite-load` the processes may start slowly. */
const READY_MS = 300_000;

/** Measures cluster and engine in turns on the same recordings. */
export async function runTranscription(
  scenario: TranscriptionScenario,
): Promise<{ figures: TranscriptionFigures; invalid: string[] }> {
  const recordings = await makeRecordings(scenario);
  await closeDecoderThreads();
  const audioSeconds = recordings.reduce((sum, { samples }) => sum + samples.length, 0) / RECOGNITION_RATE;
  const cluster = await startCluster({
    workers: scenario.workers,
    readyMs: READY_MS,
    settings: { PARLEY_WORKER_MODELS: "espeak,parley-asr-en,parley-vad" },
  });
  const engine = await loadRecognizerAlone(scenario.workers);
  try {
    const few = recordings.slice(0, 8);
    await throughCluster(cluster, few, scenario.concurrency);
    await engine.recognizeAll(
      few.map(({ samples }) => samples),
      1,
    );
    const others = watchOthers();
    const speeds: Round[] = [];
    let words: { cluster: string[]; engine: string[] } = { cluster: [], engine: [] };
    for (let round = 0; round < scenario.rounds; round++) {
      const before = secondsByRole(cluster);
      const [clusterWords, clusterSeconds] = await timed(() =>
        throughCluster(cluster, recordings, scenario.concurrency),
      );
      const used = [...secondsByRole(cluster)].map(([role, seconds]): [string, number] => [
        role,
        seconds - (before.get(role) ?? 0),
      ]);
      const alone = await engineRound(engine, recordings);
      words = { cluster: clusterWords, engine: alone.words };
      const engineSpeeds = alone.seconds.map((seconds) => audioSeconds / seconds);
      speeds.push({
        cluster: audioSeconds / clusterSeconds,
        engine: engineSpeeds,
        used: new Map(used),
        engineUsed: alone.processorSeconds,
      });
    }
    const invalid = objections({ load: others.read(), errors: cluster.complaints.length });
    return { figures: figuresOf({ audioSeconds, files: recordings.length, speeds, words }), invalid };
  } finally {
    await Promise.all([engine.close(), cluster.stop()]);
  }
}

/** One turn: speeds in audio seconds per second, and processor seconds. */
interface Round {
  cluster: number;
  engine: number[];
  used: Map<string, number>;
  engineUsed: number[];
}

/** Processor seconds so far of the processes of each role, and of this one. */
function secondsByRole(cluster: TestCluster): Map<string, number> {
  const seconds = new Map([["client", processSeconds(process.pid)]]);
  for (const { name, pid } of cluster.processes()) {
    const role = name.replace(/-\d+$/, "");
    if (pid !== null) seconds.set(role, (seconds.get(role) ?? 0) + processSeconds(pid));
  }
  return seconds;
}

async function engineRound(
  engine: RecognizerAlone,
  recordings: Recording[],
): Promise<{ words: string[]; seconds: number[]; processorSeconds: number[] }> {
  const seconds: number[] = [];
  const processorSeconds: number[] = [];
  let words: string[] = [];
  for (const batch of batches) {
    const before = processSeconds(process.pid);
    const [recognized, took] = await timed(() =>
      engine.recognizeAll(
        recordings.map(({ samples }) => samples),
        batch,
      ),
    );
    words = recognized;
    seconds.push(took);
    processorSeconds.push(processSeconds(process.pid) - before);
  }
  return { words, seconds, processorSeconds };
}

async function timed<T>(action: () => Promise<T>): Promise<[T, seconds: number]> {
  const startMs = performance.now();
  return [await action(), (performance.now() - startMs) / 1000];
}

async function throughCluster(
  cluster: TestCluster,
  recordings: readonly Recording[],
  concurrency: number,
): Promise<string[]> {
  const waiting = [...recordings];
  const words: string[] = [];
  const client = async (): Promise<void> => {
    for (let recording = waiting.shift(); recording !== undefined; recording = waiting.shift()) {
      const form = new FormData();
      form.append("audio", new Blob([recording.bytes as Uint8Array<ArrayBuffer>]), recording.name);
      const response = await fetch(`${cluster.baseUrl}/v1/asr`, {
        method: "POST",
        headers: { authorization: `Bearer ${cluster.apiKey}` },
        body: form,
      });
      if (!response.ok) throw new Error(`${recording.name}: ${response.status} ${await response.text()}`);
      words.push(...((await response.json()) as Transcript).text.split(" "));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, client));
  return words;
}

function figuresOf(measured: {
  audioSeconds: number;
  files: number;
  speeds: Round[];
  words: { cluster: string[]; engine: string[] };
}): TranscriptionFigures {
  const { audioSeconds, files, speeds, words } = measured;
  const msPerSecond = (seconds: number[]): number =>
    (1000 * seconds.reduce((sum, one) => sum + one, 0)) / speeds.length / audioSeconds;
  const roles = [...(speeds[0]?.used.keys() ?? [])];
  return {
    audioSeconds,
    files,
    processorMs: Object.fromEntries(
      roles.map((role) => [role, msPerSecond(speeds.map(({ used }) => used.get(role) ?? 0))]),
    ),
    cluster: overRounds(speeds.map(({ cluster }) => cluster)),
    engine: batches.map((batch, index) => ({
      batch,
      speed: overRounds(speeds.map(({ engine }) => engine[index] ?? Number.NaN)),
      processorMs: msPerSecond(speeds.map(({ engineUsed }) => engineUsed[index] ?? Number.NaN)),
    })),
    ratio: overRounds(speeds.map(({ cluster, engine }) => cluster / Math.max(...engine))),
    sameWords: sharedWords(words.cluster, words.engine) / Math.max(1, words.engine.length),
  };
}

/** Words in both lists, however they are ordered: files end in any order. */
function sharedWords(one: readonly string[], other: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const word of one) counts.set(word, (counts.get(word) ?? 0) + 1);
  return other.filter((word) => {
    const left = counts.get(word) ?? 0;
    counts.set(word, left - 1);
    return left > 0;
  }).length;
}
