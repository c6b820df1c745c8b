import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Names the folder of the recognizer that both sides run. */
const VARIABLE = "BENCH_PEERS_RECOGNIZER";

/** A model of the run: its name, and the code for private use (ISO 639-2) by which a request chooses it. */
export interface BenchModel {
  name: string;
  language: string;
}

/** Gives the most likely symbols, as sherpa-onnx's server does. */
export const symbolsModel: BenchModel = { name: "bench-symbols", language: "qaa" };
/** The same graph, with the search for words. */
export const wordsModel: BenchModel = { name: "bench-words", language: "qab" };

const GRAPHS = ["model.onnx", "model.int8.onnx", "tokens.txt"];
const WORDS = "words.bin";

/**
 * The folder of a recognizer in zipformer's form, which sherpa-onnx reads as well. Throws when the environment names
 * none, and says how to get one.
 */
export function sharedRecognizer(): string {
  const folder = process.env[VARIABLE] ?? "";
  const lacking = [...GRAPHS, WORDS].filter((name) => !existsSync(join(folder, name)));
  if (folder !== "" && lacking.length === 0) return folder;
  throw new Error(
    `${VARIABLE} must name the folder of a recognizer in zipformer's form (${[...GRAPHS, WORDS].join(", ")}); the one that came ` +
      "with Parley until 2026-11-28: mkdir ~/parley-recognizer && git archive 93cefe49 models/parley-asr-en | tar -x -C ~/parley-recognizer, " +
      `then ${VARIABLE}=~/parley-recognizer/models/parley-asr-en`,
  );
}

/** Makes both models of the recognizer in a folder of models. */
export function makeBenchModels(models: string, recognizer: string): void {
  for (const { name, language } of [symbolsModel, wordsModel]) {
    const withWords = name === wordsModel.name;
    const folder = join(models, name);
    mkdirSync(folder);
    // Copies: onnxruntime takes no weights from a file that is a link out of the folder.
    for (const file of withWords ? [...GRAPHS, WORDS] : GRAPHS)
      copyFileSync(join(recognizer, file), join(folder, file));
    const manifest = {
      name,
      task: "transcribe",
      engine: "ctc",
      licence: "Apache-2.0",
      layout: "zipformer_ctc",
      maxBatch: 16,
      languages: [language],
      files: {
        graph: { path: "model.onnx" },
        int8: { path: "model.int8.onnx" },
        tokens: { path: "tokens.txt" },
        ...(withWords ? { words: { path: WORDS } } : {}),
      },
      ...(withWords ? { decoding: { lmWeight: 0.9, wordBonus: 0, beam: 300, threshold: 14 } } : {}),
    };
    // JSON is YAML.
    writeFileSync(join(folder, "model.yaml"), JSON.stringify(manifest));
  }
}
