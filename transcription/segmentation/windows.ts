import {
  DETECTION_CONTEXT_MS,
  DETECTION_STEP_MS,
  RECOGNITION_RATE,
  MAX_AUDIO_SECONDS,
} from "#protocol/transcription/chunk";

/** Samples of one step of a detector. */
export const STEP_SAMPLES = (RECOGNITION_RATE * DETECTION_STEP_MS) / 1000;

const PAST_STEPS = DETECTION_CONTEXT_MS.past / DETECTION_STEP_MS;
const FUTURE_STEPS = DETECTION_CONTEXT_MS.future / DETECTION_STEP_MS;

/**
 * A piece of a long audio for the detector; its answers from `keepFromStep` to `keepToStep` (counted in the window) are
 * the whole's.
 */
export interface DetectionWindow {
  startSample: number;
  endSample: number;
  keepFromStep: number;
  keepToStep: number;
}

/**
 * Cuts a recording of `samples` into windows that a detector can hear apart, at most `maxSeconds` each. Kept together they
 * give every step once.
 */
export function detectionWindows(samples: number, maxSeconds = MAX_AUDIO_SECONDS): DetectionWindow[] {
  const steps = Math.ceil(samples / STEP_SAMPLES);
  const most = Math.max(PAST_STEPS + FUTURE_STEPS + 1, Math.floor((maxSeconds * 1000) / DETECTION_STEP_MS));
  const windows: DetectionWindow[] = [];
  for (let kept = 0; kept < steps; ) {
    const start = Math.max(0, kept - PAST_STEPS);
    const end = Math.min(steps, start + most);
    const keepTo = end === steps ? steps : end - FUTURE_STEPS;
    windows.push({
      startSample: start * STEP_SAMPLES,
      endSample: Math.min(samples, end * STEP_SAMPLES),
      keepFromStep: kept - start,
      keepToStep: keepTo - start,
    });
    kept = keepTo;
  }
  return windows;
}

/** Puts the answers of the windows of one audio together, in order. */
export function joinDetections(windows: readonly DetectionWindow[], answers: readonly Uint8Array[]): Uint8Array {
  const kept = windows.map(({ keepFromStep, keepToStep }, i) =>
    (answers[i] ?? new Uint8Array(0)).subarray(keepFromStep, keepToStep),
  );
  const joined = new Uint8Array(kept.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of kept) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
