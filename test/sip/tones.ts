import { fitTone } from "#audio/testing/signals";

const WINDOW_SECONDS = 0.3;

/** Whether a third of a second somewhere in the audio is this tone and little else. */
export function hasTone(samples: Int16Array, frequencyHz: number, sampleRate: number): boolean {
  const window = Math.round(WINDOW_SECONDS * sampleRate);
  for (let from = 0; from + window <= samples.length; from += window >> 2) {
    const { amplitude, signalToNoiseDb } = fitTone(samples.subarray(from, from + window), frequencyHz, sampleRate);
    if (amplitude > 0.1 && signalToNoiseDb > 10) return true;
  }
  return false;
}
