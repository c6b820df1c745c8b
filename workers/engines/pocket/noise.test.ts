import { expect, it } from "vitest";
import { defaultSampling } from "#protocol/speech/chunk";
import { latentNoise, normalQuantile } from "./noise.js";

it("knows the quantiles of the normal distribution", () => {
  const known: [share: number, value: number][] = [
    [0.5, 0],
    [0.841344746, 1],
    [0.977249868, 2],
    [0.998650102, 3],
    [0.001349898, -3],
    [0.0227501319, -2],
  ];
  for (const [share, value] of known) expect(normalQuantile(share)).toBeCloseTo(value, 6);
});

it("draws with the temperature as variance, and the same for the same seed", () => {
  const draw = (seed: number, change: Partial<typeof defaultSampling> = {}): Float32Array =>
    latentNoise(seed, { ...defaultSampling, ...change })(20_000);
  const moments = (values: Float32Array): { mean: number; variance: number; most: number } => {
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
    return { mean, variance, most: Math.max(...values.map(Math.abs)) };
  };
  expect(draw(1)).toEqual(draw(1));
  expect(draw(1)).not.toEqual(draw(2));
  const whole = moments(draw(1, { temperature: 0.7, topP: 1 }));
  expect(whole.mean).toBeCloseTo(0, 1);
  expect(whole.variance).toBeGreaterThan(0.67);
  expect(whole.variance).toBeLessThan(0.73);
  // The default leaves out less than a hundredth of what would be drawn.
  expect(moments(draw(1)).variance / whole.variance).toBeGreaterThan(0.93);
  expect(moments(draw(1)).most).toBeLessThan(2.7 * Math.sqrt(0.7));
  expect(moments(draw(1, { topP: 0.3 })).variance).toBeLessThan(0.4);
  for (const change of [{ temperature: 0 }, { topP: 0 }]) expect(moments(draw(1, change)).most).toBeCloseTo(0, 12);
});
