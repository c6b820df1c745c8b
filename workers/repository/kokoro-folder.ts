import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pickGraph } from "./graph-variants.js";

/**
 * Tells a folder of Kokoro-82M in Hugging Face's ONNX layout: `onnx/model.onnx`, `tokenizer.json` and a style of each
 * speaker in `voices/`. Gives the manifest's `files`, a reason why they are not all there, or null for another kind of
 * folder.
 */
export function describeKokoroFolder(
  folder: string,
): { files: Record<string, { path: string }> } | { problem: string } | null {
  if (!existsSync(join(folder, "onnx")) || !existsSync(join(folder, "voices"))) return null;
  const graph = pickGraph(new Set(readdirSync(join(folder, "onnx"))), "model");
  if (graph === undefined) return { problem: "holds voices/, but no onnx/model.onnx" };
  if (!existsSync(join(folder, "tokenizer.json")))
    return { problem: "holds voices/ and a graph, but no tokenizer.json" };
  return { files: { graph: { path: `onnx/${graph}` }, tokens: { path: "tokenizer.json" } } };
}
