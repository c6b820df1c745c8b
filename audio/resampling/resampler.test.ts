import fc from "fast-check";
import { expect, test } from "vitest";
import { howMany } from "#common/testing/how-many";
import { createResampler } from "./resampler.js";
import { fitTone, noise, tone } from "../testing/signals.js";

function resampled(samples: Int16Array, from: number, to: number, pieceSamples = 441): Float32Array {
  const resampler = createResampler(from, to);
  const parts: number[] = [];
  for (let i = 0; i < samples.length; i += pieceSamples)
    parts.push(...resampler.process(Float32Array.from(samples.subarray(i, i + pieceSamples))));
  parts.push(...resampler.flush());
  return Float32Array.from(parts);
}

const pairs = [44100, 48000, 32000, 24000, 16000, 8000].map((to) => [22050, to] as const);

test.each(pairs)("%d to %d Hz keeps 1 kHz at 80 dB and more, in level and in time", (from, to) => {
  const output = resampled(tone(1000, 1, from), from, to);
  expect(output.length).toBe(to);
  // Phase included: the ideal output is known.
  const ideal = tone(1000, 1, to);
  let error = 0;
  for (let i = 400; i < to - 400; i++) error = Math.max(error, Math.abs((output[i] as number) - (ideal[i] as number)));
  expect(error).toBeLessThan(4);
  expect(fitTone(output.subarray(400, to - 400), 1000, to).signalToNoiseDb).toBeGreaterThan(80);
});

test.each([
  [22050, 16000, 9500],
  [22050, 8000, 5000],
  [44100, 16000, 10_000],
  [48000, 44100, 23_500],
])("%d to %d Hz lets nothing of %d Hz fold back", (from, to, frequency) => {
  const output = resampled(tone(frequency, 1, from), from, to).subarray(800, to - 800);
  const rms = Math.sqrt(output.reduce((sum, value) => sum + value * value, 0) / output.length);
  expect(20 * Math.log10(rms / 11585)).toBeLessThan(-75);
});

test("raising the rate leaves no images above the old band", () => {
  const output = resampled(tone(9000, 1, 22050), 22050, 44100);
  expect(fitTone(output.subarray(400, 43700), 9000, 44100).signalToNoiseDb).toBeGreaterThan(80);
});

test("the output does not depend on how the input was split", () => {
  const samples = noise(5000, 0.8);
  for (const [from, to] of [...pairs, [8001, 48000] as const, [44100, 16000] as const]) {
    const whole = resampled(samples, from, to, samples.length);
    expect(whole.length).toBe(Math.ceil((samples.length * to) / from));
    const isEqual = (piece: number): boolean =>
      Buffer.from(resampled(samples, from, to, piece).buffer).equals(Buffer.from(whole.buffer));
    fc.assert(fc.property(fc.integer({ min: 1, max: 3000 }), isEqual), { numRuns: howMany(8) });
  }
});

test("after a flush the next sound starts from silence, with no sample lost", () => {
  const resampler = createResampler(22050, 48000);
  const first = resampler.process(Float32Array.from(tone(500, 0.1, 22050))).length + resampler.flush().length;
  const second = resampler.process(Float32Array.from(tone(500, 0.1, 22050))).slice();
  expect(first).toBe(4800);
  expect(second.length + resampler.flush().length).toBe(4800);
  expect(resampler.flush().length).toBe(0);
});

test("odd rates keep their length to a tenth of a thousandth", () => {
  for (const [from, to] of [
    [16001, 16000],
    [191_999, 16000],
    [48_001, 16000],
  ] as const) {
    const output = resampled(tone(440, 2, from), from, to, from);
    expect(Math.abs(output.length - 2 * to)).toBeLessThan(to * 2e-4);
    expect(fitTone(output.subarray(400, 2 * to - 400), 440, to).signalToNoiseDb).toBeGreaterThan(25);
  }
});
