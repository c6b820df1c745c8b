import { expect, it } from "vitest";
import { bytesToSamples, samplesToBytes } from "./pcm.js";

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
