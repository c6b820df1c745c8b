import fc from "fast-check";
import { expect, it } from "vitest";
import { howMany } from "#common/testing/how-many";
import { peakOf, writeFloats, writeIntegers } from "./sample-loops.js";

/** Lengths on both sides of a group of eight and of a block. */
const lengths = [0, 1, 7, 8, 9, 8191, 8192, 8193, 20_000];

/** Any float, and those on which rounding turns. */
const sample = fc.oneof(
  fc.float({ noDefaultInfinity: true }),
  fc.integer({ min: -70_000, max: 70_000 }).map((halves) => Math.fround(halves / 65_536)),
  fc.constant(Math.fround((0.5 - 2 ** -25) / 32_768)),
);

function roundedSample(value: number): number {
  const scaled = value * 32_768;
  if (Number.isNaN(scaled)) return 0;
  return Math.max(-32_768, Math.min(32_767, Math.floor(scaled + 0.5)));
}

it("rounds every float as arithmetic in doubles does, halves up, and holds it within the range", () => {
  fc.assert(
    fc.property(fc.array(sample, { maxLength: 40 }), (values) => {
      const integers = new Int16Array(values.length);
      writeIntegers(integers, Float32Array.from(values));
      expect([...integers]).toEqual(values.map((value) => roundedSample(value) + 0));
    }),
    { numRuns: howMany(300) },
  );
});

it("turns samples into floats and back at every length, and writes nothing behind them", () => {
  for (const length of lengths) {
    const samples = Int16Array.from({ length }, (_, i) => ((i * 7919) % 65_536) - 32_768);
    const floats = new Float32Array(length + 3).fill(9);
    writeFloats(floats, samples);
    expect(floats.subarray(0, length)).toEqual(Float32Array.from(samples, (value) => value / 32_768));
    expect([...floats.subarray(length)]).toEqual([9, 9, 9]);
    const back = new Int16Array(length + 3).fill(9);
    writeIntegers(back, floats.subarray(0, length));
    expect(back.subarray(0, length)).toEqual(samples);
    expect([...back.subarray(length)]).toEqual([9, 9, 9]);
  }
});

it("finds the peak wherever it stands, whatever an earlier block held", () => {
  for (const length of lengths.slice(1)) {
    for (const at of [0, Math.floor(length / 2), length - 1]) {
      const samples = new Float32Array(length).fill(0.25);
      samples[at] = -0.75;
      expect(peakOf(samples)).toBe(0.75);
      samples[at] = Number.NaN;
      expect(peakOf(samples)).toBe(length === 1 ? 0 : 0.25);
    }
  }
  expect(peakOf(new Float32Array(0))).toBe(0);
});
