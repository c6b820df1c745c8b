import { RECOGNITION_RATE } from "#protocol/transcription/chunk";
import { FRAME_STEP_SAMPLES, type LogMelFrames, openLogMel, TRANSFORM_SIZE } from "#audio/spectrum/log-mel";
import { htkScale, type MelFilters, melFilters, slaneyScale } from "#audio/spectrum/mel-filters";

export const MEL_BANDS = 80;
/** Spacing of the frames. */
export const FRAME_STEP_MS = (FRAME_STEP_SAMPLES * 1000) / RECOGNITION_RATE;

const FRAME_SAMPLES = 400;
const PREEMPHASIS = 0.97;
/** The smallest float32 step from 1: Kaldi's floor under the logarithm. */
const POWER_FLOOR = 2 ** -23;
const NORMALIZATION_FLOOR = 1e-5;

/**
 * What a recognizer was trained on: Kaldi's log-mel energies, or NeMo's, with each band normalized over the piece or as
 * they are.
 */
export type FeatureKind = "kaldi" | "nemo" | "nemo_plain";

/** `frames` rows of `MEL_BANDS` natural logarithms. */
export interface LogMel {
  frames: number;
  values: Float32Array;
  /** Mean over the bands of each frame, before any normalization. */
  levels: Float32Array;
}

export type LogMelExtractor = (samples: Int16Array) => LogMel;

interface Recipe {
  /** Makes samples of -1 to 1 of 16-bit ones, too. */
  window: Float64Array;
  removeMean: boolean;
  filters: MelFilters;
  normalize: boolean;
}

const raisedCosine = (i: number): number => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / (FRAME_SAMPLES - 1));
const windowOf = (weight: (i: number) => number): Float64Array =>
  Float64Array.from({ length: FRAME_SAMPLES }, (_, i) => weight(i) / 32768);
const filterGrid = { bands: MEL_BANDS, sampleRate: RECOGNITION_RATE, transformSize: TRANSFORM_SIZE };

const nemo = (normalize: boolean): Recipe => ({
  window: windowOf(raisedCosine),
  removeMean: false,
  filters: melFilters({
    ...filterGrid,
    scale: slaneyScale,
    lowHz: 0,
    highHz: RECOGNITION_RATE / 2,
    straightIn: "hertz",
  }),
  normalize,
});

const recipes: Readonly<Record<FeatureKind, () => Recipe>> = {
  kaldi: () => ({
    window: windowOf((i) => raisedCosine(i) ** 0.85),
    removeMean: true,
    filters: melFilters({
      ...filterGrid,
      scale: htkScale,
      lowHz: 20,
      highHz: RECOGNITION_RATE / 2 - 400,
      straightIn: "mel",
    }),
    normalize: false,
  }),
  nemo: () => nemo(true),
  nemo_plain: () => nemo(false),
};

/**
 * Makes an extractor of log-mel energies: frames of 25 ms every 10 ms, the first centred 5 ms after the start, audio
 * mirrored at both ends (Kaldi's `snip_edges=false`), samples taken as -1 to 1, no dither. The frame count is the
 * length in steps, rounded.
 */
export function createLogMel(kind: FeatureKind): LogMelExtractor {
  const { normalize, ...recipe } = recipes[kind]();
  const extract = openLogMel({ ...recipe, emphasis: PREEMPHASIS, added: 0, floor: POWER_FLOOR, scale: 1, shift: 0 });
  return (samples) => {
    const frames = Math.floor((samples.length + FRAME_STEP_SAMPLES / 2) / FRAME_STEP_SAMPLES);
    const values = new Float32Array(frames * MEL_BANDS);
    for (let t = 0; t < frames; t += extract.mostFrames) {
      const count = Math.min(extract.mostFrames, frames - t);
      cutFrames(samples, t, count, extract);
      values.set(extract.run(count), t * MEL_BANDS);
    }
    const levels = levelsOf(values, frames);
    if (normalize) normalizeBands(values, frames);
    return { frames, values, levels };
  };
}

/** Writes the audio of `count` frames from frame `t` on; beyond both ends it is mirrored. */
function cutFrames(samples: Int16Array, t: number, count: number, { samples: into }: LogMelFrames): void {
  const from = t * FRAME_STEP_SAMPLES - (FRAME_SAMPLES - FRAME_STEP_SAMPLES) / 2;
  const { length } = samples;
  const needed = (count - 1) * FRAME_STEP_SAMPLES + FRAME_SAMPLES;
  const [first, end] = [Math.max(0, -from), Math.min(needed, length - from)];
  into.set(samples.subarray(from + first, from + end), first);
  const mirrored = (i: number): number => {
    let at = from + i;
    // A piece shorter than a frame is mirrored several times.
    while (at < 0 || at >= length) at = at < 0 ? -at - 1 : 2 * length - 1 - at;
    return samples[at] as number;
  };
  for (let i = 0; i < first; i++) into[i] = mirrored(i);
  for (let i = Math.max(first, end); i < needed; i++) into[i] = mirrored(i);
}

function levelsOf(values: Float32Array, frames: number): Float32Array {
  const levels = new Float32Array(frames);
  for (let t = 0; t < frames; t++) {
    let sum = 0;
    for (let m = 0; m < MEL_BANDS; m++) sum += values[t * MEL_BANDS + m] as number;
    levels[t] = sum / MEL_BANDS;
  }
  return levels;
}

/** Zero mean and unit deviation of every band over the piece. */
function normalizeBands(values: Float32Array, frames: number): void {
  for (let m = 0; m < MEL_BANDS; m++) {
    let sum = 0;
    for (let t = 0; t < frames; t++) sum += values[t * MEL_BANDS + m] as number;
    const mean = sum / frames;
    let squares = 0;
    for (let t = 0; t < frames; t++) squares += ((values[t * MEL_BANDS + m] as number) - mean) ** 2;
    const scale = 1 / (Math.sqrt(squares / frames) + NORMALIZATION_FLOOR);
    for (let t = 0; t < frames; t++) values[t * MEL_BANDS + m] = ((values[t * MEL_BANDS + m] as number) - mean) * scale;
  }
}
