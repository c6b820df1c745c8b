import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pickGraph } from "./graph-variants.js";

/** Files of the role's names at the folder's top. */
const settings = { tokens: "tokenizer.json", config: "config.json", preprocessor: "preprocessor_config.json" };

/**
 * Tells a folder of Hugging Face's ONNX layout for models that turn audio into text: settings at the top, graphs in
 * `onnx/`. Gives the manifest's `files`, a reason why they are not all there, or null for another kind of folder.
 */
export function describeWhisperFolder(
  folder: string,
): { files: Record<string, { path: string }> } | { problem: string } | null {
  if (!existsSync(join(folder, "onnx")) || !existsSync(join(folder, settings.config))) return null;
  const names = new Set(readdirSync(join(folder, "onnx")));
  if (![...names].some((name) => name.startsWith("encoder_model"))) return null;
  const [encoder, decoder] = [pickGraph(names, "encoder_model"), pickGraph(names, "decoder_model_merged")];
  if (encoder === undefined) return { problem: "holds no onnx/encoder_model.onnx" };
  if (decoder === undefined)
    return { problem: "holds no onnx/decoder_model_merged.onnx, which is the only form of decoder that is read" };
  const missing = Object.values(settings).filter((name) => !existsSync(join(folder, name)));
  if (missing.length > 0) return { problem: `holds no ${missing.join(", ")}` };
  const paths = { encoder: `onnx/${encoder}`, decoder: `onnx/${decoder}`, ...settings };
  return { files: Object.fromEntries(Object.entries(paths).map(([role, path]) => [role, { path }])) };
}
