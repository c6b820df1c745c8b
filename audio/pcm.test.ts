import { expect, it } from "vitest";
import { bytesToSamples, fromFloat, samplesToBytes, toFloat } from "./pcm.js";

it("copies samples out of views on shared memory, Buffers included", () => {
  const shared = Buffer.from([9, 9, 9, 1, 0, 255, 255, 0, 128, 7]);
  for (const view of [shared.subarray(3), new Uint8Array(shared).subarray(3)]) {
    const samples = bytesToSamples(view);
    expect([...samples]).toEqual([1, -1, -32768]);
    expect(samples.buffer.byteLength).toBe(6);
  }
});

it("gives bytes back as they were", () => {
  const samples = Int16Array.of(0, 1, -1, 32767, -32768);
  expect(bytesToSamples(samplesToBytes(samples))).toEqual(samples);
});

it("turns every sample into a float and back", () => {
  const samples = Int16Array.from({ length: 65_536 }, (_, i) => i - 32_768);
  const floats = toFloat(samples);
  expect([floats[0], floats[32_768], floats[65_535]]).toEqual([-1, 0, 32_767 / 32_768]);
  expect(fromFloat(floats)).toEqual(samples);
  expect([...fromFloat(Float32Array.of(2, -2, Number.NaN))]).toEqual([32_767, -32_768, 0]);
});
