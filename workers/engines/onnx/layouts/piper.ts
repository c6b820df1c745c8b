import type { Phonemizer } from "../../espeak/phonemizer.js";
import { departures, paceFactor, variation } from "../../sampling.js";
import { textSymbols } from "../symbols.js";
import type { VoiceLayout } from "./layout.js";
import { languageOf, type PiperConfig } from "./piper-config.js";

/**
 * What voices have in common whose graphs take no pitch: it is changed after the graph, one pace is drawn for a whole
 * chunk, and cloned voices steer the default speaker. Sampling noise is zero: such graphs draw it inside, so with noise
 * equal chunks would differ.
 */
export function unsteeredLayout(
  config: PiperConfig,
): Pick<VoiceLayout, "config" | "vary" | "measuredSpeaker" | "scales" | "pitchRatio"> {
  return {
    config,
    vary: (symbols, { sampling, seed }) => ({
      symbols,
      pace: paceFactor(departures(seed, "pace", variation(sampling))()),
    }),
    measuredSpeaker: () => config.default_speaker_id,
    // The change of pitch makes the audio shorter by the factor that the graph makes it longer.
    scales: ({ length, pitchSemitones }) => [0, config.inference.length_scale * length * 2 ** (pitchSemitones / 12), 0],
    pitchRatio: ({ pitchSemitones }) => 2 ** (pitchSemitones / 12),
  };
}

/** Inputs of a graph in Piper's layout. */
export function piperInputs({ num_speakers: speakers }: PiperConfig): string[] {
  return ["input", "input_lengths", "scales", ...(speakers > 1 ? ["sid"] : [])];
}

/** Piper's own voices, whose symbols are letters or espeak's phonemes. */
export async function openPiperLayout(config: PiperConfig, phonemizer: Phonemizer): Promise<VoiceLayout> {
  const isText = config.phoneme_type === "text";
  if (!isText) await phonemizer.start();
  return {
    ...unsteeredLayout(config),
    graphInputs: piperInputs(config),
    languages: [languageOf(config)],
    read: async ({ text, language }) =>
      isText ? textSymbols(text) : await phonemizer.phonemize(text, config.espeak?.voice ?? language),
    defaultSpeaker: () => config.default_speaker_id,
    rowInputs: () => ({ controls: null, styles: null }),
  };
}
