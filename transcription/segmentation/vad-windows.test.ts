import fc from "fast-check";
import { expect, it } from "vitest";
import { howMany } from "#common/testing/how-many";
import { DETECTION_CONTEXT_MS, MAX_AUDIO_SECONDS } from "#protocol/transcription/chunk";
import { joinAnswers, vadWindows } from "../testing/vad-windows.js";
import { STEP_SAMPLES } from "./vad-windows.js";

it("windows keep every step once, and each kept step has the context it depends on or the end of the sound", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 60 * 16_000 }), fc.integer({ min: 1, max: 40 }), (samples, halfSeconds) => {
      const windows = vadWindows(samples, halfSeconds / 2);
      const steps = Math.ceil(samples / STEP_SAMPLES);
      const numbers = windows.map(({ startSample, endSample }) =>
        Uint8Array.from(
          { length: Math.ceil((endSample - startSample) / STEP_SAMPLES) },
          (_, i) => (startSample / STEP_SAMPLES + i) % 251,
        ),
      );
      const joined = joinAnswers(windows, numbers);
      expect(joined.length).toBe(steps);
      expect(joined.findIndex((number, i) => number !== i % 251)).toBe(-1);
      for (const { startSample, endSample, keepFromStep, keepToStep } of windows) {
        expect(startSample % STEP_SAMPLES).toBe(0);
        expect(endSample - startSample).toBeLessThanOrEqual(Math.max(halfSeconds / 2, 0.88) * 16_000);
        expect(startSample === 0 || keepFromStep * 10 >= DETECTION_CONTEXT_MS.past).toBe(true);
        expect(
          endSample === samples ||
            Math.ceil((endSample - startSample) / STEP_SAMPLES) - keepToStep >= DETECTION_CONTEXT_MS.future / 10,
        ).toBe(true);
      }
    }),
    { seed: 5, numRuns: howMany(40) },
  );
  expect(vadWindows(MAX_AUDIO_SECONDS * 16_000)).toEqual([
    { startSample: 0, endSample: 480_000, keepFromStep: 0, keepToStep: 3000 },
  ]);
});
