import { expect, it } from "vitest";
import { decimate, joinSamples, loudnessOf, readSamples, wavFile, writeSamples } from "./pcm.js";

it("reads what it wrote, within one step, and cuts what is too loud", () => {
  const samples = Float32Array.from([0, 0.5, -0.5, 1, -1, 2]);
  const read = readSamples(writeSamples(samples));
  expect([...read].map((sample) => Math.round(sample * 1000) / 1000)).toEqual([0, 0.5, -0.5, 1, -1, 1]);
});

it("reads bytes that begin anywhere in their memory, and drops half a sample", () => {
  const memory = new Uint8Array([9, 0, 0x40, 0, 0xc0, 7]);
  expect([...readSamples(memory.subarray(1))]).toEqual([0.5, -0.5]);
});

it("writes a WAV file that says how long it is", async () => {
  const file = new DataView(await wavFile(Float32Array.from([0.25, -0.25]), 16_000).arrayBuffer());
  const name = (at: number, length: number): string =>
    String.fromCharCode(...Array.from({ length }, (_, index) => file.getUint8(at + index)));
  expect([name(0, 4), name(8, 8), name(36, 4)]).toEqual(["RIFF", "WAVEfmt ", "data"]);
  expect([4, 24, 28, 40].map((at) => file.getUint32(at, true))).toEqual([40, 16_000, 32_000, 4]);
  expect([file.byteLength, file.getInt16(44, true)]).toEqual([48, 8192]);
});

it("joins, thins out and measures samples", () => {
  const joined = joinSamples([Float32Array.from([1, 0]), Float32Array.from([0.5, 0.5, 0.25])]);
  expect([...joined]).toEqual([1, 0, 0.5, 0.5, 0.25]);
  expect([...decimate(joined, 2)]).toEqual([0.5, 0.5]);
  expect([loudnessOf(joined.subarray(2, 4)), loudnessOf(new Float32Array())]).toEqual([0.5, 0]);
});
