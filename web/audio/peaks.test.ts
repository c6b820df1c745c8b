import { expect, it } from "vitest";
import { columnsOf, PeakMeter } from "./peaks.js";

it("has a peak for each fiftieth of a second, however the audio is cut into pieces", () => {
  const samples = new Float32Array(50).fill(0.1);
  samples[3] = -0.75;
  samples[49] = 0.5;
  for (const pieceSamples of [1, 7, 50]) {
    const meter = new PeakMeter(1000);
    for (let from = 0; from < samples.length; from += pieceSamples)
      meter.add(samples.subarray(from, from + pieceSamples));
    expect(meter.peaks).toEqual([0.75, expect.closeTo(0.1), 0.5]);
  }
});

it("fills columns, more or fewer than there are peaks", () => {
  expect(columnsOf([0.1, 0.9, 0.2, 0.3], 2)).toEqual([0.9, 0.3]);
  expect(columnsOf([0.1, 0.9], 4)).toEqual([0.1, 0.1, 0.9, 0.9]);
  expect(columnsOf([], 3)).toEqual([0, 0, 0]);
});
