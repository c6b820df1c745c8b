import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { recognizerFolder } from "./sherpa-server.js";

/** Code for private use (ISO 639-2), by which a request chooses the recognizer that gives symbols. */
export const PHONES_LANGUAGE = "qaa";
export const PHONES_MODEL = "bench-phones";

/**
 * Makes a model of the recognizer's graph without its words: what it gives are the most likely symbols, as
 * sherpa-onnx's server does.
 */
export function makePhonesModel(models: string): void {
  const folder = join(models, PHONES_MODEL);
  mkdirSync(folder);
  // Copies: onnxruntime takes no weights from a file that is a link out of the folder.
  for (const name of ["model.onnx", "model.int8.onnx", "tokens.txt"])
    copyFileSync(join(recognizerFolder, name), join(folder, name));
  const manifest = {
    name: PHONES_MODEL,
    task: "transcribe",
    engine: "ctc",
    licence: "Apache-2.0",
    layout: "zipformer_ctc",
    maxBatch: 16,
    languages: [PHONES_LANGUAGE],
    files: { graph: { path: "model.onnx" }, int8: { path: "model.int8.onnx" }, tokens: { path: "tokens.txt" } },
  };
  // JSON is YAML.
  writeFileSync(join(folder, "model.yaml"), JSON.stringify(manifest));
}
