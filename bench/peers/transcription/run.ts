import { RECOGNITION_RATE } from "#protocol/transcription/chunk";
import { decodeAudio } from "#audio/decoding/decode";
import { closeDecoderThreads } from "#audio/decoding/decoder-pool";
import { startCluster } from "#test/harness/cluster";
import { temporaryDirectory } from "#test/harness/temporary-directory";
import { watchOthers } from "../../machine.js";
import type { TranscriptionPeersScenario } from "../../scenarios.js";
import { makeRecordings, type Recording } from "../../transcription/files.js";
import { objections } from "../../validity.js";
import type { Peers } from "../installed.js";
import { makeBenchModels, sharedRecognizer, symbolsModel, wordsModel } from "./bench-models.js";
import { figuresOf, secondsOf, type TranscriptionPeersFigures, type Turn } from "./figures.js";
import { startSherpa } from "./sherpa-server.js";
import { type Recognized, throughService, throughSherpa, type Way } from "./ways.js";

/** Fewer equal symbols mean that one of the two does not recognize. */
const FEWEST_SAME_SYMBOLS = 0.9;
const WARM_UP_FILES = 8;
const READY_MS = 180_000;

/**
 * Measures sherpa-onnx's server and `/v1/asr` in turns on the same recordings, the latter also without its search for
 * words.
 */
export async function runTranscriptionPeers(
  scenario: TranscriptionPeersScenario,
  peers: Peers,
): Promise<{ figures: TranscriptionPeersFigures; invalid: string[] }> {
  const recordings = await asDecoded(await makeRecordings(scenario.recordings));
  const { workers, concurrency } = scenario.recordings;
  const models = temporaryDirectory("bench-models");
  const stops: (() => Promise<void> | void)[] = [models.remove];
  try {
    const folder = sharedRecognizer();
    makeBenchModels(models.path, folder);
    const sherpa = async (name: string, graph: string): Promise<Way> => {
      const server = await startSherpa(peers, { folder, graph, threads: workers, batch: scenario.sherpaBatch });
      stops.unshift(server.stop);
      const connections = await Promise.all(Array.from({ length: concurrency }, () => server.connect()));
      stops.unshift(async () => void (await Promise.all(connections.map((connection) => connection.close()))));
      return throughSherpa(name, server, connections);
    };
    const peerWays = [
      await sherpa("sherpa-onnx's server", "model.int8.onnx"),
      await sherpa("sherpa-onnx's server, float32", "model.onnx"),
    ];
    const loaded = ["parley-vad", symbolsModel.name, wordsModel.name];
    const cluster = await startCluster({
      workers,
      models: loaded,
      settings: { PARLEY_MODELS: models.path },
      readyMs: READY_MS,
    });
    stops.unshift(cluster.stop);
    const ways = [
      ...peerWays,
      throughService(cluster, { name: "/v1/asr, symbols only", language: symbolsModel.language, concurrency }),
      throughService(cluster, { name: "/v1/asr, words", language: wordsModel.language, concurrency }),
    ];
    for (const way of ways) await way.recognizeAll(recordings.slice(0, WARM_UP_FILES));
    const others = watchOthers();
    const rounds: Turn[][] = [];
    let recognized: Recognized[] = [];
    for (let round = 0; round < scenario.rounds; round++) {
      const turns = await oneRound(ways, recordings, round);
      rounds.push(turns.map(({ turn }) => turn));
      recognized = turns.map((one) => one.recognized);
    }
    const invalid = objections({ load: others.read(), errors: cluster.complaints.length });
    invalid.push(...cluster.complaints.map(({ name, level, text }) => `${name}, ${level}: ${text}`));
    const figures = figuresOf({ scenario, ways, rounds, recognized, recordings });
    if (!(figures.sameSymbols >= FEWEST_SAME_SYMBOLS))
      throw new RangeError(`only ${figures.sameSymbols} of the symbols are sherpa-onnx's`);
    return { figures: { versions: peers.versions, ...figures }, invalid };
  } finally {
    for (const stop of stops) await stop();
  }
}

/** The samples that come out of the files: what is lost in mp3 is lost for everybody. */
async function asDecoded(recordings: readonly Recording[]): Promise<Recording[]> {
  const decoded: Recording[] = [];
  for (const { name, bytes } of recordings) {
    const { pcm } = await decodeAudio(bytes, { maxSeconds: 600, sampleRate: RECOGNITION_RATE });
    decoded.push({ name, bytes, samples: pcm.samples });
  }
  await closeDecoderThreads();
  return decoded;
}

/** Round after round another way comes first. */
async function oneRound(
  ways: readonly Way[],
  recordings: readonly Recording[],
  round: number,
): Promise<{ turn: Turn; recognized: Recognized }[]> {
  const results: { turn: Turn; recognized: Recognized }[] = [];
  const audioSeconds = secondsOf(recordings);
  for (const offset of ways.keys()) {
    const index = (offset + round) % ways.length;
    const way = ways[index] as Way;
    const [startMs, used, asking] = [performance.now(), way.processorSeconds(), process.cpuUsage()];
    const recognized = await way.recognizeAll(recordings);
    const seconds = (performance.now() - startMs) / 1000;
    const { user, system } = process.cpuUsage(asking);
    const turn = {
      speed: audioSeconds / seconds,
      processorMs: ((way.processorSeconds() - used) * 1000) / audioSeconds,
      askingMs: (user + system) / 1000 / audioSeconds,
    };
    results[index] = { turn, recognized };
  }
  return results;
}
