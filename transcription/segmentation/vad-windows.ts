import {
  DETECTION_CONTEXT_MS,
  DETECTION_STEP_MS,
  MAX_AUDIO_SECONDS,
  RECOGNITION_RATE,
} from "#protocol/transcription/chunk";

/** Samples of one step of a detector. */
export const STEP_SAMPLES = (RECOGNITION_RATE * DETECTION_STEP_MS) / 1000;

const PAST_STEPS = DETECTION_CONTEXT_MS.past / DETECTION_STEP_MS;
const FUTURE_STEPS = DETECTION_CONTEXT_MS.future / DETECTION_STEP_MS;

/**
 * A stretch of a recording for the detector; its answers from `keepFromStep` to `keepToStep` (counted in the window)
 * are the whole's.
 */
export interface VadWindow {
  startSample: number;
  endSample: number;
  keepFromStep: number;
  keepToStep: number;
}

/** The first sample that a window needs which goes on at this step. */
export function windowStart(fromStep: number): number {
  return Math.max(0, fromStep - PAST_STEPS) * STEP_SAMPLES;
}

/**
 * The next window of a recording of which `samples` have come and whose answers are known up to `fromStep`: as long as
 * it can be, at most `maxSeconds`. `isComplete`: no more samples will come. Its answers are none while too little has
 * come. Windows kept together give every step once.
 */
export function nextWindow(
  fromStep: number,
  {
    samples,
    isComplete,
    maxSeconds = MAX_AUDIO_SECONDS,
  }: { samples: number; isComplete: boolean; maxSeconds?: number },
): VadWindow {
  const start = windowStart(fromStep) / STEP_SAMPLES;
  const most = Math.max(PAST_STEPS + FUTURE_STEPS + 1, Math.floor((maxSeconds * 1000) / DETECTION_STEP_MS));
  const known = isComplete ? Math.ceil(samples / STEP_SAMPLES) : Math.floor(samples / STEP_SAMPLES);
  const end = Math.min(known, start + most);
  const keepTo = isComplete && end === known ? end : Math.max(fromStep, end - FUTURE_STEPS);
  return {
    startSample: start * STEP_SAMPLES,
    endSample: Math.min(samples, end * STEP_SAMPLES),
    keepFromStep: fromStep - start,
    keepToStep: keepTo - start,
  };
}

/** The answers that a window is for. A step that the detector left out, at the very end, counts as silence. */
export function windowAnswers({ keepFromStep, keepToStep }: VadWindow, answers: Uint8Array): Uint8Array {
  const kept = new Uint8Array(keepToStep - keepFromStep);
  kept.set(answers.subarray(keepFromStep, keepToStep));
  return kept;
}
