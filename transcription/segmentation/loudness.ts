import { defaultCutOptions } from "./cut.js";
import { STEP_SAMPLES } from "./vad-windows.js";

/** A step with a mean square below this (−66 dB of full scale) is silence, whatever it was recorded with. */
const SILENCE_POWER = 2.5e-7;
/** Decibels above silence at which a step counts as certain speech. */
const CERTAIN_DB = 40;

/**
 * What stands in for a detector where none is loaded: per step, 0 for silence, else the louder the surer, never below
 * the threshold of cutting. Everything that is not silence is thus recognized, and cuts lie where it is quietest.
 */
export function loudnessAsSpeech(samples: Int16Array): Uint8Array {
  const { threshold } = defaultCutOptions;
  return Uint8Array.from({ length: Math.ceil(samples.length / STEP_SAMPLES) }, (_, step) => {
    const power = meanSquare(samples.subarray(step * STEP_SAMPLES, (step + 1) * STEP_SAMPLES));
    if (power < SILENCE_POWER) return 0;
    const sure = Math.min(1, (10 * Math.log10(power / SILENCE_POWER)) / CERTAIN_DB);
    return Math.round(threshold + sure * (255 - threshold));
  });
}

function meanSquare(samples: Int16Array): number {
  let sum = 0;
  for (const sample of samples) sum += (sample / 32768) ** 2;
  return sum / samples.length;
}
