import { dirname, join } from "node:path";
import { type ModelFolder, ModelProblem } from "../../repository/folder.js";

/** Everything that makes a Whisper model. */
export interface WhisperSource {
  kind: "whisper";
  paths: {
    encoder: string;
    decoder: string;
    tokens: string;
    config: string;
    generation: string | null;
    preprocessor: string;
  };
  providers: readonly string[];
}

/** Where a model's files lie. Throws `ModelProblem`. */
export function whisperSource({ folder, manifest }: ModelFolder, providers: readonly string[]): WhisperSource {
  const { encoder, decoder, tokens, config, preprocessor, generation } = manifest.files;
  if (!encoder || !decoder || !tokens || !config || !preprocessor) {
    throw new ModelProblem(
      "files.encoder, files.decoder, files.tokens, files.config and files.preprocessor are required",
    );
  }
  const at = (file: { path: string }): string => join(folder, file.path);
  // Folders of older exports have none; it is looked for where the exporter puts it.
  const beside = join(dirname(at(config)), "generation_config.json");
  const paths = {
    ...{ encoder: at(encoder), decoder: at(decoder), tokens: at(tokens) },
    ...{ config: at(config), preprocessor: at(preprocessor) },
    generation: generation === undefined ? beside : at(generation),
  };
  return { kind: "whisper", paths, providers };
}
