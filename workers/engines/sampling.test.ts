import { describe, expect, it } from "vitest";
import { defaultSampling, neutralDelivery, type Sampling } from "#protocol/speech/chunk";
import { departures, variation, variedDelivery } from "./sampling.js";

const sampling = (change: Partial<Sampling>): Sampling => ({ ...defaultSampling, ...change });
const lively = variation(sampling({ temperature: 1, topP: 1 }));
const drawn = (seed: number, count: number, varied = lively): number[] => {
  const next = departures(seed, "level", varied);
  return Array.from({ length: count }, next);
};

describe("sampling of a voice that draws nothing by itself", () => {
  it("is the voice's own reading, exactly, with the defaults and whatever the seed", () => {
    expect(variation(defaultSampling)).toMatchObject({ pitchRange: 1, noise: 1, reach: 0 });
    const delivery = { ...neutralDelivery, pitchSemitones: -2.3, pitchRangeFactor: 1.3, rateFactor: 1.1 };
    for (let seed = 0; seed < 100; seed++)
      expect(variedDelivery({ delivery, sampling: defaultSampling, seed })).toEqual(delivery);
  });

  it("moves pitch and breath more with every step of temperature", () => {
    const steps = [0, 0.1, 0.4, 0.7, 0.9, 1].map((temperature) => variation(sampling({ temperature })));
    for (const [i, step] of steps.entries()) {
      if (i === 0) continue;
      expect(step.pitchRange).toBeGreaterThan(steps[i - 1]?.pitchRange ?? 9);
      expect(step.noise).toBeGreaterThan(steps[i - 1]?.noise ?? 9);
    }
    expect(
      variation(sampling({ temperature: 0.9 })).pitchRange / variation(sampling({ temperature: 0.1 })).pitchRange,
    ).toBeGreaterThan(2);
  });

  it("leaves room to draw in above the default temperature or top_p, the more the higher, and none below", () => {
    const reach = (temperature: number, topP: number): number => variation(sampling({ temperature, topP })).reach;
    for (const [temperature, topP] of [
      [0, 1],
      [0.1, 1],
      [0.7, 0.7],
      [0.5, 0.9],
      [0.9, 0.4],
      [1, 0.3],
    ] as const)
      expect(reach(temperature, topP)).toBe(0);
    expect(reach(0.7, 1)).toBeGreaterThan(0.2);
    expect(reach(0.9, 0.7)).toBeGreaterThan(0.4);
    expect(reach(0.9, 0.5)).toBeLessThan(reach(0.9, 0.7));
    expect(reach(0.9, 1)).toBeGreaterThan(reach(0.9, 0.7) * 2);
    expect(reach(1, 1)).toBeLessThan(1.35);
  });

  it("draws the same for the same seed, all over its reach, with a mean of nothing", () => {
    expect(drawn(5, 20)).toEqual(drawn(5, 20));
    expect(drawn(5, 20)).not.toEqual(drawn(6, 20));
    const firsts = Array.from({ length: 4000 }, (_, seed) => drawn(seed, 1)[0] as number);
    expect(Math.max(...firsts.map(Math.abs))).toBeLessThanOrEqual(lively.reach);
    expect([Math.min(...firsts) < -0.95 * lively.reach, Math.max(...firsts) > 0.95 * lively.reach]).toEqual([
      true,
      true,
    ]);
    expect(Math.abs(firsts.reduce((sum, value) => sum + value, 0) / firsts.length)).toBeLessThan(0.03 * lively.reach);
  });

  it("repeats a direction the seldomer the higher the repetition penalty", () => {
    const repeats = (repetitionPenalty: number): number => {
      const values = drawn(1, 4000, variation({ temperature: 1, topP: 1, repetitionPenalty }));
      return values.filter((value, i) => i > 0 && value * (values[i - 1] ?? 0) > 0).length / (values.length - 1);
    };
    expect(repeats(0)).toBe(1);
    expect(repeats(1)).toBeCloseTo(0.5, 1);
    expect(repeats(1.2)).toBeCloseTo(0.45, 1);
    expect(repeats(10)).toBeCloseTo(0.09, 1);
  });

  it("gives each chunk a pitch and a pace of its own where only whole chunks can vary", () => {
    const takes = Array.from({ length: 200 }, (_, seed) =>
      variedDelivery({ delivery: neutralDelivery, sampling: sampling({ temperature: 0.9 }), seed }),
    );
    const spread = (values: number[]): number => Math.max(...values) - Math.min(...values);
    expect(spread(takes.map((take) => take.pitchSemitones))).toBeGreaterThan(1.6);
    expect(spread(takes.map((take) => take.rateFactor))).toBeGreaterThan(0.1);
    expect(new Set(takes.map((take) => take.pitchRangeFactor)).size).toBe(1);
    for (const take of takes)
      expect([Math.abs(take.pitchSemitones) < 1, Math.abs(take.rateFactor - 1) < 0.065]).toEqual([true, true]);
  });
});
