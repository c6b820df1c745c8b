import { readFileSync } from "node:fs";
import { join } from "node:path";
import { LISTENING_RATE } from "#protocol/transcription/chunk";
import { readGraphMetadata } from "#workers/engines/ctc/graph-metadata";
import { runRecognizer, tellFeatures, tellLayout } from "#workers/engines/ctc/layout";
import { readClips } from "#workers/engines/ctc/testing/clips";
import { openGraph } from "#workers/engines/onnx/runtime";
import { createLexiconDecoder } from "#workers/recognition/decoding/lexicon-words";
import { readTokens } from "#workers/recognition/decoding/tokens";
import { readWordsFile } from "#workers/recognition/decoding/words-file";
import { createLogMel } from "#workers/recognition/features/log-mel";
import { readModelFolder } from "#workers/repository/folder";
import type { EarPartsScenario } from "../scenarios.js";

/** Times of one part of hearing; `times…` are seconds of sound for one second. */
export interface PartFigures {
  part: string;
  timesProcessorTime: number;
  timesWallTime: number;
}

export interface EarPartsFigures {
  soundSeconds: number;
  parts: PartFigures[];
}

/** `dist/bench/ear-parts` → `models`. */
const models = join(import.meta.dirname, "../../../models");

/**
 * Runs features, graph and word search of a recognizer one after the other, on one thread, on clips of human speech.
 */
export async function runEarParts({
  model,
  rounds,
}: EarPartsScenario): Promise<{ figures: EarPartsFigures; invalid: string[] }> {
  const { folder, manifest } = await readModelFolder(join(models, model));
  const path = (role: string): string => join(folder, manifest.files[role]?.path ?? role);
  const graph = await openGraph(path("graph"), ["cpu"]);
  const metadata = readGraphMetadata(path("graph"));
  const layout = tellLayout(manifest.layout, metadata, graph);
  const tokens = readTokens(readFileSync(path("tokens"), "utf8"));
  const words = readWordsFile(readFileSync(path("words")));
  const weights = { lmWeight: 0.9, wordBonus: 0.5, ...manifest.decoding };
  const settings = (beam: number, threshold: number) => ({ ...weights, beam, threshold, blank: tokens.blank });
  const decoder = (beam: number, threshold: number) =>
    createLexiconDecoder(words, tokens.names.length, settings(beam, threshold));
  const own = decoder(manifest.decoding.beam ?? 400, manifest.decoding.threshold ?? 15);
  const wide = decoder(1000, 20);
  const extract = createLogMel(tellFeatures(layout, metadata));

  const pieces = (await readClips()).map(({ samples }) => samples);
  const features = pieces.map((samples) => extract(samples));
  const emissions = await runRecognizer(graph, layout, features);
  const never = (): boolean => false;
  const parts: readonly (readonly [string, () => Promise<unknown>])[] = [
    ["features", async () => pieces.map((samples) => extract(samples))],
    ["graph, piece by piece", async () => await oneByOne(features, (piece) => runRecognizer(graph, layout, [piece]))],
    ["graph, all in one call", async () => await runRecognizer(graph, layout, features)],
    ["word search, the model's beam", async () => emissions.map((rows) => own(rows, never))],
    ["word search, beam 1000/20", async () => emissions.map((rows) => wide(rows, never))],
  ];
  const soundSeconds = pieces.reduce((sum, { length }) => sum + length, 0) / LISTENING_RATE;
  const figures: PartFigures[] = [];
  for (const [part, work] of parts) {
    await work();
    const [processorBefore, wallBefore] = [process.cpuUsage(), performance.now()];
    for (let round = 0; round < rounds; round++) await work();
    const { user, system } = process.cpuUsage(processorBefore);
    const sound = soundSeconds * rounds;
    figures.push({
      part,
      timesProcessorTime: (sound * 1e6) / (user + system),
      timesWallTime: (sound * 1e3) / (performance.now() - wallBefore),
    });
  }
  return { figures: { soundSeconds, parts: figures }, invalid: [] };
}

async function oneByOne<Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>): Promise<void> {
  for (const item of items) await work(item);
}
