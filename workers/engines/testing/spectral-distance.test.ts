import { expect, it } from "vitest";
import { spectralDistanceDb } from "./spectral-distance.js";

const RATE = 16_000;

/** A buzz of harmonics whose pitch glides, through two formants: vowels, one after another. */
function vowels(pitchHz: number, formantsHz: readonly number[], amplitude = 3000, phase = 0): Int16Array {
  return Int16Array.from({ length: RATE }, (_, i) => {
    const seconds = i / RATE;
    let sum = 0;
    for (let harmonic = 1; harmonic * pitchHz < RATE / 2; harmonic++) {
      const hertz = harmonic * pitchHz;
      const gain = formantsHz.reduce(
        (most, formant) => Math.max(most, Math.exp(-(((hertz - formant) / 250) ** 2))),
        0.02,
      );
      sum += gain * Math.sin(2 * Math.PI * hertz * seconds + phase * harmonic);
    }
    return amplitude * sum * (0.6 + 0.4 * Math.sin(2 * Math.PI * 4 * seconds));
  });
}

it("is small for the same voice out of step, softer or beginning later, and large for other sounds", () => {
  const said = vowels(120, [500, 1500]);
  expect(spectralDistanceDb(said, said)).toBe(0);
  expect(spectralDistanceDb(said, vowels(120, [500, 1500], 1000))).toBeLessThan(0.5);
  expect(spectralDistanceDb(said, vowels(120.2, [500, 1500], 3000, 0.7))).toBeLessThan(2);
  expect(spectralDistanceDb(said, said.subarray(800))).toBeLessThan(0.5);
  expect(spectralDistanceDb(said, vowels(120, [300, 2300]))).toBeGreaterThan(4);
  expect(spectralDistanceDb(said, vowels(210, [500, 1500]))).toBeGreaterThan(3);
});

it("is infinite for silence", () => {
  expect(spectralDistanceDb(vowels(120, [500]), new Int16Array(RATE))).toBe(Number.POSITIVE_INFINITY);
  expect(spectralDistanceDb(new Int16Array(RATE), vowels(120, [500]))).toBe(Number.POSITIVE_INFINITY);
});
