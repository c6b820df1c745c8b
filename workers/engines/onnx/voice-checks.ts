import { type ModelFolder, ModelProblem } from "../../repository/folder.js";
import type { OpenedVoice } from "./thread.js";
import type { PhonemeType, VoiceConfig } from "./voice-config.js";

/** Inputs of a graph in Kokoro's layout. */
export const kokoroInputs = ["input_ids", "style", "speed"];

/** Inputs of a graph in Piper's layout. */
export function piperInputs({ num_speakers: speakers }: VoiceConfig): string[] {
  return ["input", "input_lengths", "scales", ...(speakers > 1 ? ["sid"] : [])];
}

/** Throws `ModelProblem` when a graph does not have exactly the inputs that are fed, or no output. */
export function checkInputs({ inputNames, outputNames }: OpenedVoice, needed: readonly string[]): void {
  const missing = needed.filter((name) => !inputNames.includes(name));
  const unknown = inputNames.filter((name) => !needed.includes(name));
  if (missing.length > 0) throw new ModelProblem(`the graph lacks the input ${missing.join(", ")}`);
  if (unknown.length > 0) throw new ModelProblem(`the graph has an input that nothing feeds: ${unknown.join(", ")}`);
  if (outputNames.length === 0) throw new ModelProblem("the graph has no output");
}

/** Throws `ModelProblem` where the manifest contradicts the voice's own configuration. */
export function checkAgreement(
  manifest: ModelFolder["manifest"],
  config: VoiceConfig & { phoneme_type: PhonemeType },
): void {
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
