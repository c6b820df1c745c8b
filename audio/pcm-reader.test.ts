import fc from "fast-check";
import { expect, it } from "vitest";
import { howMany } from "#common/testing/how-many";
import { fromFloat, samplesToBytes, toFloat } from "./pcm.js";
import { createPcmReader } from "./pcm-reader.js";
import { resampleWhole } from "./resampling/resampler.js";

it("reads the same samples however the bytes are cut, half samples too", () => {
  const samples = Int16Array.from({ length: 5000 }, (_, at) => Math.round(9000 * Math.sin(at / 7)));
  const bytes = samplesToBytes(samples);
  fc.assert(
    fc.property(
      fc.constantFrom(8000, 16_000, 24_000, 44_100),
      fc.array(fc.integer({ min: 1, max: 3001 }), { minLength: 1, maxLength: 5 }),
      (sampleRate, lengths) => {
        const reader = createPcmReader(sampleRate, 16_000);
        const read: number[] = [];
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const length = lengths[turn % lengths.length] as number;
          read.push(...reader.read(bytes.subarray(at, at + length)));
          at += length;
        }
        read.push(...reader.end());
        const whole = sampleRate === 16_000 ? samples : fromFloat(resampleWhole(toFloat(samples), sampleRate, 16_000));
        expect(read).toEqual([...whole]);
      },
    ),
    { numRuns: howMany(40), seed: 3 },
  );
});
