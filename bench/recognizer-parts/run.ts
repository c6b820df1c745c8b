import { readFileSync } from "node:fs";
import { join } from "node:path";
import { RECOGNITION_RATE } from "#protocol/transcription/chunk";
import { readGraphMetadata } from "#workers/engines/ctc/graph-metadata";
import { runRecognizer, describeFeatures, describeLayout } from "#workers/engines/ctc/layout";
import { readClips } from "#workers/engines/ctc/testing/clips";
import { openGraph } from "#workers/engines/onnx/runtime";
import { createLexiconDecoder } from "#workers/recognition/decoding/lexicon-words";
import { readTokens } from "#workers/recognition/decoding/tokens";
import { readWordsFile } from "#workers/recognition/decoding/words-file";
import { createLogMel } from "#workers/recognition/features/log-mel";
import { readModelFolder } from "#workers/repository/folder";
import type { RecognizerPartsScenario } from "../scenarios.js";

/** Times of one part of recognition; `times…` are seconds of audio for one second. */
export interface PartFigures {
  part: string;
  timesProcessorTime: number;
  timesWallTime: number;
}

export interface RecognizerPartsFigures {
  audioSeconds: number;
  parts: PartFigures[];
}

/** `dist/bench/recognizer-parts` → `models`. */
const models = join(import.meta.dirname, "../../../models");

/**
 * Runs features, graph and word search of a recognizer one after the other, on one thread, on clips of human speech.
 */
export async function runRecognizerParts({
  model,
  rounds,
}: RecognizerPartsScenario): Promise<{ figures: RecognizerPartsFigures; invalid: string[] }> {
  const { folder, manifest } = await readModelFolder(join(models, model));
  const path = (role: string): string => join(folder, manifest.files[role]?.path ?? role);
  const { int8 } = manifest.files;
  const graph = await openGraph(path("graph"), ["cpu"], path(int8 === undefined ? "graph" : "int8"));
  const metadata = readGraphMetadata(path("graph"));
  const layout = describeLayout(manifest.layout, metadata, graph);
  const tokens = readTokens(readFileSync(path("tokens"), "utf8"));
  const words = readWordsFile(readFileSync(path("words")));
  const weights = { lmWeight: 0.9, wordBonus: 0.5, ...manifest.decoding };
  const settings = (beam: number, threshold: number) => ({ ...weights, beam, threshold, blank: tokens.blank });
  const decoder = (beam: number, threshold: number) =>
    createLexiconDecoder(words, tokens.names, settings(beam, threshold));
  const own = decoder(manifest.decoding.beam ?? 400, manifest.decoding.threshold ?? 15);
  const wide = decoder(1000, 20);
  const extract = createLogMel(describeFeatures(layout, metadata));

  const clips = (await readClips()).map(({ samples }) => samples);
  const pieces = clips.map((samples) => ({ samples, features: extract(samples) }));
  const emissions = await runRecognizer(graph, layout, pieces);
  const never = (): boolean => false;
  const parts: readonly (readonly [string, () => Promise<unknown>])[] = [
    ["features", async () => clips.map((samples) => extract(samples))],
    ["graph, piece by piece", async () => await oneByOne(pieces, (piece) => runRecognizer(graph, layout, [piece]))],
    ["graph, all in one call", async () => await runRecognizer(graph, layout, pieces)],
    ["word search, the model's beam", async () => emissions.map((rows) => own(rows, never))],
    ["word search, beam 1000/20", async () => emissions.map((rows) => wide(rows, never))],
  ];
  const audioSeconds = clips.reduce((sum, { length }) => sum + length, 0) / RECOGNITION_RATE;
  const figures: PartFigures[] = [];
  for (const [part, work] of parts) {
    await work();
    const [processorBefore, wallBefore] = [process.cpuUsage(), performance.now()];
    for (let round = 0; round < rounds; round++) await work();
    const { user, system } = process.cpuUsage(processorBefore);
    const audio = audioSeconds * rounds;
    figures.push({
      part,
      timesProcessorTime: (audio * 1e6) / (user + system),
      timesWallTime: (audio * 1e3) / (performance.now() - wallBefore),
    });
  }
  return { figures: { audioSeconds, parts: figures }, invalid: [] };
}

async function oneByOne<Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>): Promise<void> {
  for (const item of items) await work(item);
}
