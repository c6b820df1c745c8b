import { DETECTION_STEP_MS, RECOGNITION_RATE } from "#protocol/transcription/chunk";
import { openLogMel } from "#audio/spectrum/log-mel";
import { htkScale, melFilters } from "#audio/spectrum/mel-filters";

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
  const filters = melFilters({
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
  const extract = openLogMel({
    ...{ window, removeMean: false, emphasis: 0, filters },
    ...{ added: FLOOR, floor: FLOOR, scale: SCALE, shift: SHIFT * SCALE },
  });
  return (samples, before, after) => {
    const rows = before + Math.ceil(samples.length / STEP_SAMPLES) + after;
    const values = new Float32Array(rows * FEATURE_BANDS);
    for (let row = 0; row < rows; row += extract.mostFrames) {
      const count = Math.min(extract.mostFrames, rows - row);
      const from = (row - before) * STEP_SAMPLES - (WINDOW_SAMPLES - STEP_SAMPLES) / 2;
      const needed = (count - 1) * STEP_SAMPLES + WINDOW_SAMPLES;
      const first = Math.min(needed, Math.max(0, -from));
      const end = Math.max(first, Math.min(needed, samples.length - from));
      extract.samples.fill(0, 0, first);
      if (end > first) extract.samples.set(samples.subarray(from + first, from + end), first);
      extract.samples.fill(0, end, needed);
      values.set(extract.run(count), row * FEATURE_BANDS);
    }
    return values;
  };
}
