import { readdirSync } from "node:fs";
import { basename } from "node:path";
import { describeKokoroFolder } from "./kokoro-folder.js";
import { describeMoonshineFolder } from "./moonshine-folder.js";
import { describePocketFolder } from "./pocket-folder.js";
import { describeWhisperFolder } from "./whisper-folder.js";

/** Graphs of a recognizer in the order of preference when a folder holds several, as published folders do. */
const preferredGraphs = ["model.onnx", "model.int8.onnx"];

/** Parts of recognizers that are no single graph. */
const partNames = /encoder|decoder|joiner/i;

/** Layouts that are told by folders and files of fixed names. */
const namedLayouts = [
  { task: "transcribe", engine: "moonshine", describe: describeMoonshineFolder },
  { task: "transcribe", engine: "whisper", describe: describeWhisperFolder },
  { task: "speak", engine: "kokoro", describe: describeKokoroFolder },
  { task: "speak", engine: "pocket", describe: describePocketFolder },
] as const;

/**
 * What a folder without `model.yaml` is by its files: a manifest to be checked, a reason why it is none, or null when
 * it is no model at all.
 */
export type BareModel = { manifest: unknown } | { problem: string } | null;

/**
 * Tells models by the files that people have: a Piper voice is `x.onnx` beside `x.onnx.json`, a recognizer that gives
 * symbols for frames is a graph beside `tokens.txt`, Whisper is `onnx/encoder_model.onnx` below `config.json`, Moonshine the same or beside `tokenizer.bin`, Kokoro
 * `onnx/model.onnx` and `voices/` or `kokoro-v1.0.onnx` and `voices-v1.0.bin`, Pocket TTS `lm_main.onnx` beside four other graphs. The folder's name is the
 * model's.
 */
export function describeBareFolder(folder: string): BareModel {
  for (const { describe, ...traits } of namedLayouts) {
    const described = describe(folder);
    if (described === null) continue;
    return "problem" in described
      ? described
      : { manifest: { name: basename(folder), licence: "unknown", ...traits, files: described.files } };
  }
  const names = new Set(readdirSync(folder));
  const graphs = [...names].filter((name) => name.endsWith(".onnx")).sort();
  const voices = graphs.filter((name) => names.has(`${name}.json`));
  const [voice] = voices;
  const name = basename(folder);
  if (voice !== undefined) {
    if (voices.length > 1) return { problem: `holds ${voices.length} Piper voices; one folder is one model` };
    const files = { graph: { path: voice }, voice: { path: `${voice}.json` } };
    return { manifest: { name, task: "speak", engine: "onnx", licence: "unknown", files } };
  }
  if (graphs.length === 0) return null;
  if (!names.has("tokens.txt")) {
    return {
      problem: `holds ${graphs.join(", ")}, but no .onnx.json beside it as Piper voices have and no tokens.txt as recognizers have`,
    };
  }
  const graph =
    preferredGraphs.find((preferred) => graphs.includes(preferred)) ?? (graphs.length === 1 ? graphs[0] : undefined);
  if (graph === undefined || partNames.test(graph))
    return { problem: `none of ${graphs.join(", ")} can be told to be a recognizer's whole graph` };
  const files = { graph: { path: graph }, tokens: { path: "tokens.txt" } };
  return { manifest: { name, task: "transcribe", engine: "ctc", licence: "unknown", files } };
}
