import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pickGraph } from "./graph-variants.js";

type Described = { files: Record<string, { path: string }> } | { problem: string } | null;

/**
 * As kokoro-onnx's releases are named (https://github.com/thewh1teagle/kokoro-onnx/releases), better ones first; neither
 * the graph for GPUs alone nor the Chinese model, whose symbols are others.
 */
const releasedGraph = /^kokoro-v[\d._]+?(|\.fp16|\.int8)\.onnx$/;
const releasedOrder = ["", ".fp16", ".int8"];
const releasedVoices = /^voices(?:-v[\d._]+)?\.bin$/;

/**
 * Tells a folder of Kokoro-82M: in Hugging Face's ONNX layout (`onnx/model.onnx`, `tokenizer.json` and a style of each
 * speaker in `voices/`), or as kokoro-onnx releases it (`kokoro-v1.0.onnx` and `voices-v1.0.bin`, an archive of the
 * styles). Gives the manifest's `files`, a reason why they are not all there, or null for another kind of folder.
 */
export function describeKokoroFolder(folder: string): Described {
  return describeExport(folder) ?? describeRelease(folder);
}

function describeExport(folder: string): Described {
  if (!existsSync(join(folder, "onnx")) || !existsSync(join(folder, "voices"))) return null;
  const graph = pickGraph(new Set(readdirSync(join(folder, "onnx"))), "model");
  if (graph === undefined) return { problem: "holds voices/, but no onnx/model.onnx" };
  if (!existsSync(join(folder, "tokenizer.json")))
    return { problem: "holds voices/ and a graph, but no tokenizer.json" };
  return { files: { graph: { path: `onnx/${graph}` }, tokens: { path: "tokenizer.json" } } };
}

function describeRelease(folder: string): Described {
  const names = readdirSync(folder).sort();
  const voices = names.find((name) => releasedVoices.test(name));
  const graphs = names.flatMap((name) => {
    const [, precision] = releasedGraph.exec(name) ?? [];
    return precision === undefined ? [] : [{ name, order: releasedOrder.indexOf(precision) }];
  });
  const graph = graphs.toSorted((one, other) => one.order - other.order)[0]?.name;
  if (graph === undefined) return null;
  if (voices === undefined) return { problem: `holds ${graph}, but no voices-v1.0.bin` };
  return { files: { graph: { path: graph }, voices: { path: voices } } };
}
