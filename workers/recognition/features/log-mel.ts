import { RECOGNITION_RATE } from "#protocol/transcription/chunk";
import { htkScale, type MelFilters, melFilters, slaneyScale } from "./mel-filters.js";
import { createRealSpectrum } from "#audio/real-spectrum";

export const MEL_BANDS = 80;
/** Spacing of the frames. */
export const FRAME_STEP_MS = 10;

const STEP_SAMPLES = (RECOGNITION_RATE * FRAME_STEP_MS) / 1000;
const FRAME_SAMPLES = 400;
const TRANSFORM_SIZE = 512;
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
  const recipe = recipes[kind]();
  const spectrum = createRealSpectrum(TRANSFORM_SIZE);
  const frame = new Float64Array(TRANSFORM_SIZE);
  return (samples) => {
    const frames = Math.floor((samples.length + STEP_SAMPLES / 2) / STEP_SAMPLES);
    const values = new Float32Array(frames * MEL_BANDS);
    for (let t = 0; t < frames; t++) {
      cutFrame(samples, t * STEP_SAMPLES - (FRAME_SAMPLES - STEP_SAMPLES) / 2, frame);
      shapeFrame(frame, recipe);
      filterPower(spectrum(frame), recipe.filters, values, t * MEL_BANDS);
    }
    const levels = levelsOf(values, frames);
    if (recipe.normalize) normalizeBands(values, frames);
    return { frames, values, levels };
  };
}

function cutFrame(samples: Int16Array, from: number, frame: Float64Array): void {
  const length = samples.length;
  if (from >= 0 && from + FRAME_SAMPLES <= length) {
    for (let i = 0; i < FRAME_SAMPLES; i++) frame[i] = samples[from + i] as number;
    return;
  }
  for (let i = 0; i < FRAME_SAMPLES; i++) {
    let at = from + i;
    // A piece shorter than a frame is mirrored several times.
    while (at < 0 || at >= length) at = at < 0 ? -at - 1 : 2 * length - 1 - at;
    frame[i] = samples[at] as number;
  }
}

function shapeFrame(frame: Float64Array, { window, removeMean }: Recipe): void {
  let mean = 0;
  if (removeMean) {
    for (let i = 0; i < FRAME_SAMPLES; i++) mean += frame[i] as number;
    mean /= FRAME_SAMPLES;
  }
  let before = (frame[0] as number) - mean;
  for (let i = 0; i < FRAME_SAMPLES; i++) {
    const value = (frame[i] as number) - mean;
    frame[i] = (value - PREEMPHASIS * before) * (window[i] as number);
    before = value;
  }
}

function filterPower(
  power: Float64Array,
  { starts, offsets, weights }: MelFilters,
  values: Float32Array,
  at: number,
): void {
  for (let m = 0; m < MEL_BANDS; m++) {
    const from = offsets[m] as number;
    const to = offsets[m + 1] as number;
    const start = (starts[m] as number) - from;
    let energy = 0;
    for (let i = from; i < to; i++) energy += (weights[i] as number) * (power[start + i] as number);
    values[at + m] = Math.log(energy > POWER_FLOOR ? energy : POWER_FLOOR);
  }
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
