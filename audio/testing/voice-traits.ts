import type { VoiceTraits } from "#protocol/speech/chunk";

/** Traits of a voice that tests measure, or say they measured. */
export const testTraits: VoiceTraits = {
  pitchHz: 120,
  pitchRangeSemitones: 3,
  syllablesPerSecond: 4,
  spectralTiltDbPerOctave: -8,
};
