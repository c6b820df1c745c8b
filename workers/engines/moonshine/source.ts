import { join } from "node:path";
import { type ModelFolder, ModelProblem } from "../../repository/folder.js";

/** Everything that makes a Moonshine model. */
export interface MoonshineSource {
  kind: "moonshine";
  paths: { encoder: string; decoder: string; tokens: string };
  providers: readonly string[];
}

/** Where a model's files lie. Throws `ModelProblem`. */
export function moonshineSource({ folder, manifest }: ModelFolder, providers: readonly string[]): MoonshineSource {
  const { encoder, decoder, tokens } = manifest.files;
  if (!encoder || !decoder || !tokens)
    throw new ModelProblem("files.encoder, files.decoder and files.tokens are required");
  const at = (file: { path: string }): string => join(folder, file.path);
  return { kind: "moonshine", paths: { encoder: at(encoder), decoder: at(decoder), tokens: at(tokens) }, providers };
}
