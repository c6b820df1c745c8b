import { DETECTION_STEP_MS, RECOGNITION_RATE } from "#protocol/transcription/chunk";
import { htkScale, melFilters } from "../../recognition/features/mel-filters.js";
import { createRealSpectrum } from "#audio/real-spectrum";

/** What `models/training/vad/network.py` trained the detector on; the numbers must stay the same there and here. */
export const FEATURE_BANDS = 40;
const STEP_SAMPLES = (RECOGNITION_RATE * DETECTION_STEP_MS) / 1000;
const WINDOW_SAMPLES = 512;
/** Steps before and after its own into which a row's window reaches. */
export const OVERHANG_STEPS = Math.ceil((WINDOW_SAMPLES - STEP_SAMPLES) / 2 / STEP_SAMPLES);
const LOW_HZ = 60;
const HIGH_HZ = 7600;
const FLOOR = 1e-6;
const SHIFT = 6;
const SCALE = 0.25;

/**
 * Gives `before + steps + after` rows of `FEATURE_BANDS` values for a recording of `steps` steps; beyond both ends
 * there is silence.
 */
export type DetectorFeatures = (samples: Int16Array, before: number, after: number) => Float32Array;

/**
 * Makes an extractor of log-mel energies, one row per step from a window of 32 ms about its middle: a row depends on
 * its window only.
 */
export function createDetectorFeatures(): DetectorFeatures {
  const { starts, offsets, weights } = melFilters({
    scale: htkScale,
    bands: FEATURE_BANDS,
    lowHz: LOW_HZ,
    highHz: HIGH_HZ,
    sampleRate: RECOGNITION_RATE,
    transformSize: WINDOW_SAMPLES,
    straightIn: "mel",
  });
  const window = Float64Array.from(
    { length: WINDOW_SAMPLES },
    (_, i) => (0.5 - 0.5 * Math.cos((2 * Math.PI * i) / WINDOW_SAMPLES)) / 32768,
  );
  const spectrum = createRealSpectrum(WINDOW_SAMPLES);
  const frame = new Float64Array(WINDOW_SAMPLES);
  const silence = Math.fround((Math.log(FLOOR) + SHIFT) * SCALE);
  return (samples, before, after) => {
    const steps = Math.ceil(samples.length / STEP_SAMPLES);
    const rows = before + steps + after;
    const values = new Float32Array(rows * FEATURE_BANDS);
    for (let row = 0; row < rows; row++) {
      const from = (row - before) * STEP_SAMPLES - (WINDOW_SAMPLES - STEP_SAMPLES) / 2;
      if (from + WINDOW_SAMPLES <= 0 || from >= samples.length) {
        values.fill(silence, row * FEATURE_BANDS, (row + 1) * FEATURE_BANDS);
        continue;
      }
      // Only the rows at both ends reach beyond the audio; asking at every sample would take a third of the time.
      const [first, end] = [Math.max(0, -from), Math.min(WINDOW_SAMPLES, samples.length - from)];
      if (end - first < WINDOW_SAMPLES) frame.fill(0);
      for (let i = first; i < end; i++) frame[i] = (samples[from + i] as number) * (window[i] as number);
      const power = spectrum(frame);
      for (let m = 0; m < FEATURE_BANDS; m++) {
        const from = offsets[m] as number;
        const to = offsets[m + 1] as number;
        const shift = (starts[m] as number) - from;
        let energy = 0;
        for (let i = from; i < to; i++) energy += (weights[i] as number) * (power[shift + i] as number);
        values[row * FEATURE_BANDS + m] = (Math.log(energy + FLOOR) + SHIFT) * SCALE;
      }
    }
    return values;
  };
}
