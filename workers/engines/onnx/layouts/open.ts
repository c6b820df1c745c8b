import { join } from "node:path";
import { type ModelFolder, ModelProblem } from "../../../repository/folder.js";
import type { Phonemizer } from "../../espeak/phonemizer.js";
import { openKokoroLayout } from "./kokoro.js";
import type { VoiceLayout } from "./layout.js";
import { openParleyLayout } from "./parley-en.js";
import { type PiperConfig, readPiperConfig } from "./piper-config.js";
import { openPiperLayout } from "./piper.js";

/** Picks the layout of a voice and reads what it needs. Throws `ModelProblem`. */
export async function openLayout(model: ModelFolder, phonemizer: Phonemizer): Promise<VoiceLayout> {
  const { manifest, folder } = model;
  if (manifest.engine === "kokoro") {
    const layout = await openKokoroLayout(model, phonemizer);
    checkAgreement(manifest, layout.config);
    return layout;
  }
  if (manifest.files.voice === undefined) throw new ModelProblem("files.voice is required");
  const config = readPiperConfig(join(folder, manifest.files.voice.path));
  checkAgreement(manifest, config);
  return manifest.phonemes === "parley-en"
    ? openParleyLayout(model, config)
    : await openPiperLayout(config, phonemizer);
}

/** Throws `ModelProblem` where the manifest contradicts the voice's own configuration. */
function checkAgreement(manifest: ModelFolder["manifest"], config: PiperConfig): void {
  const rate = config.audio.sample_rate;
  if (manifest.sampleRate !== undefined && manifest.sampleRate !== rate) {
    throw new ModelProblem(`model.yaml says ${manifest.sampleRate} Hz, the voice ${rate} Hz`);
  }
  const isOwn = manifest.phonemes === "parley-en" && config.phoneme_type === "text";
  if (manifest.phonemes !== undefined && manifest.phonemes !== config.phoneme_type && !isOwn) {
    throw new ModelProblem(`model.yaml says phonemes ${manifest.phonemes}, the voice ${config.phoneme_type}`);
  }
  if (manifest.speakers.length > config.num_speakers) {
    throw new ModelProblem(
      `model.yaml names ${manifest.speakers.length} speakers, the voice has ${config.num_speakers}`,
    );
  }
}
