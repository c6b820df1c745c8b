import { ServiceError } from "#protocol/errors";
import type { VoiceTraits } from "#protocol/speech/chunk";
import { type Pcm, toFloat } from "../pcm.js";
import { resampleWhole } from "../resampling/resampler.js";
import { ANALYSIS_RATE, HOP_SECONDS, levelTrack, speechFrames } from "./levels.js";
import { pitchTrack } from "./pitch.js";
import { spectralTilt } from "./spectral-tilt.js";
import { countSyllables } from "./syllables.js";

const MIN_SPEECH_SECONDS = 0.5;
const MIN_VOICED_SECONDS = 0.2;
const SILENCE_PEAK = 100 / 32768;
/** Pitches further from the median than this are octave errors or another speaker. */
const PITCH_OUTLIER_SEMITONES = 10;

/**
 * Measures a speaker: pitch, its movement, speaking rate, darkness. The audio may have any rate; a few seconds of one
 * clear voice are best. Throws `bad_reference_audio` when it is silent or no speech can be found in it.
 */
export function measureVoice(pcm: Pcm): VoiceTraits {
  return measureConverted(resampleWhole(toFloat(pcm.samples), pcm.sampleRate, ANALYSIS_RATE), pcm.sampleRate);
}

/** The same for samples at `ANALYSIS_RATE` that were recorded at `recordedRate`. */
export function measureConverted(samples: Float32Array, recordedRate: number): VoiceTraits {
  if (samples.every((sample) => Math.abs(sample) < SILENCE_PEAK)) throw unusable("it is silent");
  const speech = speechFrames(levelTrack(samples));
  const speechSeconds = speech.filter(Boolean).length * HOP_SECONDS;
  const pitches = pitchTrack(samples, speech);
  const voiced = steadyFrames(pitches);
  const tracked = pitches.filter((_, frame) => voiced[frame]);
  const syllables = countSyllables(samples, voiced);
  if (tracked.length * HOP_SECONDS < MIN_VOICED_SECONDS) throw unusable("no speech was found in it");
  // A lone nucleus is a tone, a hum or a shout: nothing can be told of its rate.
  if (speechSeconds < MIN_SPEECH_SECONDS || syllables < 2) throw unusable("too little speech was found in it");
  const pitchHz = median(tracked);
  return {
    pitchHz,
    pitchRangeSemitones: pitchRange(tracked, pitchHz),
    syllablesPerSecond: syllables / speechSeconds,
    spectralTiltDbPerOctave: spectralTilt(samples, speech, recordedRate * 0.45),
  };
}

/** The refusal of a reference sample, and why. */
export function unusable(detail: string, cause?: unknown): ServiceError {
  return new ServiceError("bad_reference_audio", { parameters: { detail }, cause });
}

/** One voice out of several samples of it: the median of each trait. At least one sample. */
export function combineTraits(list: readonly VoiceTraits[]): VoiceTraits {
  const of = (read: (traits: VoiceTraits) => number): number => median(Float64Array.from(list, read));
  return {
    pitchHz: of((traits) => traits.pitchHz),
    pitchRangeSemitones: of((traits) => traits.pitchRangeSemitones),
    syllablesPerSecond: of((traits) => traits.syllablesPerSecond),
    spectralTiltDbPerOctave: of((traits) => traits.spectralTiltDbPerOctave),
  };
}

/** Voiced frames whose nearest tracked neighbour agrees within two semitones: a lone pitch is chance. */
function steadyFrames(pitches: Float64Array): boolean[] {
  const tracked = Array.from(pitches.keys()).filter((frame) => (pitches[frame] as number) > 0);
  const steady = new Array<boolean>(pitches.length).fill(false);
  tracked.forEach((frame, index) => {
    const agrees = (other: number | undefined): boolean =>
      other !== undefined &&
      Math.abs(other - frame) <= 10 &&
      Math.abs(semitones(pitches[other] as number, pitches[frame] as number)) < 2;
    steady[frame] = agrees(tracked[index - 1]) || agrees(tracked[index + 1]);
  });
  return steady;
}

function pitchRange(pitches: Float64Array, centreHz: number): number {
  const offsets = Array.from(pitches, (pitch) => semitones(pitch, centreHz)).filter(
    (offset) => Math.abs(offset) <= PITCH_OUTLIER_SEMITONES,
  );
  const mean = offsets.reduce((sum, offset) => sum + offset, 0) / offsets.length;
  return Math.sqrt(offsets.reduce((sum, offset) => sum + (offset - mean) ** 2, 0) / offsets.length);
}

function semitones(pitchHz: number, referenceHz: number): number {
  return 12 * Math.log2(pitchHz / referenceHz);
}

function median(values: Float64Array): number {
  const sorted = Float64Array.from(values).sort();
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] as number) + (sorted[Math.ceil(middle)] as number)) / 2;
}
