import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { pickGraph } from "./graph-variants.js";

type Described = { files: Record<string, { path: string }> } | { problem: string } | null;

const family = z.object({ model_type: z.string().optional() });

/**
 * Tells a Moonshine model: the files that Moonshine's own library reads, `encoder_model`, `decoder_model_merged` (`.ort`
 * or `.onnx`) and `tokenizer.bin` in one folder, or Hugging Face's ONNX layout with a `config.json` that says so. Gives
 * the manifest's `files`, a reason why they are not all there, or null for another kind of folder.
 */
export function describeMoonshineFolder(folder: string): Described {
  if (existsSync(join(folder, "tokenizer.bin"))) return ownLayout(new Set(readdirSync(folder)));
  return isMoonshine(folder) ? exportedLayout(folder) : null;
}

function ownLayout(names: ReadonlySet<string>): Described {
  const graphOf = (stem: string): string | undefined => [`${stem}.ort`, `${stem}.onnx`].find((name) => names.has(name));
  const [encoder, decoder] = [graphOf("encoder_model"), graphOf("decoder_model_merged")];
  if (encoder === undefined && decoder === undefined) return null;
  if (encoder === undefined) return { problem: "holds no encoder_model.ort or encoder_model.onnx" };
  if (decoder === undefined) return { problem: "holds no decoder_model_merged.ort or decoder_model_merged.onnx" };
  return filesOf({ encoder, decoder, tokens: "tokenizer.bin" });
}

function exportedLayout(folder: string): Described {
  const names = new Set(readdirSync(join(folder, "onnx")));
  const [encoder, decoder] = [pickGraph(names, "encoder_model"), pickGraph(names, "decoder_model_merged")];
  if (encoder === undefined) return { problem: "holds no onnx/encoder_model.onnx" };
  if (decoder === undefined)
    return { problem: "holds no onnx/decoder_model_merged.onnx, which is the only form of decoder that is read" };
  if (!existsSync(join(folder, "tokenizer.json"))) return { problem: "holds no tokenizer.json" };
  return filesOf({ encoder: `onnx/${encoder}`, decoder: `onnx/${decoder}`, tokens: "tokenizer.json" });
}

function filesOf(paths: Record<string, string>): { files: Record<string, { path: string }> } {
  return { files: Object.fromEntries(Object.entries(paths).map(([role, path]) => [role, { path }])) };
}

/** A `config.json` that cannot be read is for whoever takes the folder to complain of. */
function isMoonshine(folder: string): boolean {
  const path = join(folder, "config.json");
  if (!existsSync(path) || !existsSync(join(folder, "onnx"))) return false;
  try {
    return family.safeParse(JSON.parse(readFileSync(path, "utf8"))).data?.model_type === "moonshine";
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
