import { describe, expect, it } from "vitest";
import { createWhisperFeatures, WHISPER_FRAMES } from "./features.js";

/** A second and a half of a rising tone that swells, over something that is like noise. */
const audio = Int16Array.from({ length: 24_000 }, (_, n) => {
  const swell = Math.sin((Math.PI * n) / 24_000);
  return Math.round(
    9000 * Math.sin((2 * Math.PI * (200 + (n / 24_000) * 3000) * n) / 16_000) * swell + 300 * Math.sin(n * n * 0.37),
  );
});

/** Band and frame of values that numpy gave for the same recipe, written there with its own transform and filters. */
const places = (bands: number): [number, number][] => [
  [0, 0],
  [3, 10],
  [20, 40],
  [40, 75],
  [bands - 1, 100],
  [bands >> 1, 149],
  [5, 151],
  [10, 2999],
];

describe("Whisper's features", () => {
  it.each([
    [80, [0.10185, -0.29599, 0.08169, 0.0546, 0.04631, 0.06698, -0.76987, -0.76987], 267.18],
    [128, [0.02609, -0.46938, -0.43276, 0.13743, 0.07706, 0.07013, -0.73004, -0.73004], 33.57],
  ])("are numpy's, with %i bands", (bands, expected, sum) => {
    const values = createWhisperFeatures(bands)(audio);
    expect(values.length).toBe(bands * WHISPER_FRAMES);
    for (const [i, [band, frame]] of places(bands).entries()) {
      expect(
        Math.abs((values[band * WHISPER_FRAMES + frame] ?? 0) - (expected[i] ?? 0)),
        `band ${band}, frame ${frame}`,
      ).toBeLessThan(2e-4);
    }
    const total = Array.from({ length: bands }, (_, band) =>
      values.subarray(band * WHISPER_FRAMES, band * WHISPER_FRAMES + 150).reduce((a, b) => a + b, 0),
    );
    expect(Math.abs(total.reduce((a, b) => a + b, 0) - sum)).toBeLessThan(0.1);
  });

  it("take 30 s to the last sample, and nothing but silence", () => {
    const extract = createWhisperFeatures(80);
    const whole = extract(Int16Array.from({ length: 480_000 }, (_, i) => 8000 * Math.sin(i / 7)));
    expect(whole.every((value) => Number.isFinite(value))).toBe(true);
    const silent = extract(new Int16Array(16_000));
    expect(new Set(silent)).toEqual(new Set([-1.5]));
  });
});
