import fc from "fast-check";
import { expect, test } from "vitest";
import { howMany } from "#common/testing/how-many";
import { fitTone, noise, tone } from "../testing/signals.js";
import { createLimiter } from "./limiter.js";

function limited(samples: Int16Array, gainDb: number, pieceSamples = 480): number[] {
  const limiter = createLimiter(gainDb, 24_000);
  const output: number[] = [];
  for (let i = 0; i < samples.length; i += pieceSamples) {
    output.push(
      ...limiter.process(Float32Array.from(samples.subarray(i, i + pieceSamples), (sample) => sample / 32768)),
    );
  }
  output.push(...limiter.flush());
  return output.map((value) => value * 32768);
}

test("at 0 dB the samples come out as they went in", () => {
  const samples = noise(10_000, 0.99);
  expect(limited(samples, 0)).toEqual([...samples]);
});

test("quiet sound is multiplied exactly", () => {
  const { amplitude, signalToNoiseDb } = fitTone(limited(tone(300, 1, 24_000, 0.1), 12), 300, 24_000);
  expect(20 * Math.log10(amplitude / 0.1)).toBeCloseTo(12, 1);
  expect(signalToNoiseDb).toBeGreaterThan(60);
});

test("nothing passes full scale, nothing is cut off flat, and no sample is lost", () => {
  const cases = fc.record({
    seed: fc.integer(),
    gainDb: fc.double({ min: -20, max: 20, noNaN: true }),
    length: fc.integer({ min: 0, max: 3000 }),
  });
  fc.assert(
    fc.property(cases, ({ seed, gainDb, length }) => {
      const output = limited(noise(length, 1, seed), gainDb);
      return output.length === length && output.every((value) => Math.abs(value) <= 32767.001);
    }),
    { numRuns: howMany(50) },
  );
});

test("a loud tone stays a tone: its gain is lowered, its peaks are not clipped", () => {
  const output = limited(tone(300, 1, 24_000, 0.5), 20).slice(6000, 18_000);
  expect(fitTone(output, 300, 24_000).signalToNoiseDb).toBeGreaterThan(30);
});

test("the gain recovers fully after a peak", () => {
  const samples = tone(300, 3, 24_000, 0.2);
  samples[1000] = 32767;
  const output = limited(samples, 6).slice(60_000);
  const plain = [...samples.slice(60_000)].map((sample) => sample * 10 ** (6 / 20));
  output.forEach((value, index) => expect(value).toBeCloseTo(plain[index] as number, 2));
});

test("samples come out in their order where loud and quiet blocks follow each other", () => {
  const samples = tone(300, 1, 24_000, 0.2);
  for (let i = 4800; i < 24_000; i += 9600) samples.set(tone(300, 0.1, 24_000, 0.9), i);
  for (const pieceSamples of [7, 48, 480, 2400]) {
    const output = limited(samples, 3, pieceSamples);
    expect(output).toHaveLength(samples.length);
    const { signalToNoiseDb } = fitTone(output.slice(1000, 4700), 300, 24_000);
    expect(signalToNoiseDb).toBeGreaterThan(60);
    expect(output.slice(19_000, 22_000)).toEqual(limited(samples, 3, 1).slice(19_000, 22_000));
  }
});
