import fc from "fast-check";
import { expect, test } from "vitest";
import { ffmpegDecode } from "../testing/ffmpeg.js";
import { fitTone, noise, tone } from "../testing/signals.js";
import { bytesToSamples } from "../pcm.js";
import type { EncoderSpec } from "./encoder.js";
import { createPipeline } from "./pipeline.js";

const plain: EncoderSpec = {
  format: "pcm",
  inputSampleRate: 22050,
  outputSampleRate: 22050,
  mp3KilobitsPerSecond: 128,
  opusBitsPerSecond: null,
  gainDb: 0,
};

const specs: Record<string, EncoderSpec> = {
  "pcm, same rate": plain,
  "pcm, 8 kHz": { ...plain, outputSampleRate: 8000 },
  "wav, 44.1 kHz, louder": { ...plain, format: "wav", outputSampleRate: 44100, gainDb: 14 },
  "mp3, 44.1 kHz, 128": { ...plain, format: "mp3", outputSampleRate: 44100 },
  "mp3, 32 kHz, 64": { ...plain, format: "mp3", outputSampleRate: 32000, mp3KilobitsPerSecond: 64 },
  "mp3, 44.1 kHz, 192": { ...plain, format: "mp3", outputSampleRate: 44100, mp3KilobitsPerSecond: 192 },
  "opus, automatic": { ...plain, format: "opus", outputSampleRate: 48000 },
  "opus, 24 kbit/s, quieter": {
    ...plain,
    format: "opus",
    outputSampleRate: 48000,
    opusBitsPerSecond: 24_000,
    gainDb: -6,
  },
};
const names = Object.keys(specs);

/** Encodes `samples` in pieces that end at `cuts`, flushing at `flushes`. */
async function encode(
  spec: EncoderSpec,
  samples: Int16Array,
  cuts: readonly number[] = [],
  flushes: readonly number[] = [],
): Promise<Buffer> {
  const pipeline = await createPipeline(spec);
  const parts: Uint8Array[] = [];
  let from = 0;
  for (const to of [...new Set([...cuts, ...flushes, samples.length])].sort((a, b) => a - b)) {
    parts.push(pipeline.write(samples.subarray(from, to)));
    if (flushes.includes(to)) parts.push(pipeline.flush());
    from = to;
  }
  parts.push(pipeline.finish());
  pipeline.free();
  return Buffer.concat(parts);
}

test.each(names)("%s: the bytes depend on the samples and the flushes, not on the writes", async (name) => {
  const spec = specs[name] as EncoderSpec;
  const samples = noise(12_000, 0.7);
  samples.set(tone(300, 0.25, 22050), 2000);
  const places = fc.array(fc.integer({ min: 0, max: samples.length }), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(
      places,
      fc.array(fc.integer({ min: 0, max: samples.length }), { maxLength: 2 }),
      async (cuts, flushes) => {
        const split = await encode(spec, samples, cuts, flushes);
        return split.equals(await encode(spec, samples, [], flushes));
      },
    ),
    { numRuns: 8 },
  );
});

test.each(names)("%s: decodes elsewhere to the same duration, tone and level", async (name) => {
  const spec = specs[name] as EncoderSpec;
  const encoded = await encode(spec, tone(1000, 3, 22050, 0.4));
  const raw = spec.format === "pcm" ? ["-f", "s16le", "-ac", "1", "-ar", String(spec.outputSampleRate)] : [];
  const decoded = ffmpegDecode(encoded, spec.outputSampleRate, raw);
  const seconds = decoded.length / spec.outputSampleRate;
  // LAME's delay and the padding of its last frame, at most two frames, are played as silence: nothing in a stream can
  // make players skip it.
  expect(Math.abs(seconds - 3)).toBeLessThanOrEqual(spec.format === "mp3" ? (2 * 1152) / spec.outputSampleRate : 0.001);
  const middle = decoded.subarray(spec.outputSampleRate, 2 * spec.outputSampleRate);
  const { amplitude, signalToNoiseDb } = fitTone(middle, 1000, spec.outputSampleRate);
  const expected = Math.min(1, 0.4 * 10 ** (spec.gainDb / 20));
  expect(Math.abs(20 * Math.log10(amplitude / expected))).toBeLessThan(1);
  expect(signalToNoiseDb).toBeGreaterThan(spec.format === "opus" ? 15 : 25);
});

test.each(names)("%s: flushes in the middle lose no sound", async (name) => {
  const spec = specs[name] as EncoderSpec;
  const encoded = await encode(spec, tone(1000, 2, 22050, 0.4), [], [11_025, 22_050, 33_000]);
  const raw = spec.format === "pcm" ? ["-f", "s16le", "-ac", "1", "-ar", String(spec.outputSampleRate)] : [];
  const decoded = ffmpegDecode(encoded, spec.outputSampleRate, raw);
  const energy = decoded.reduce((sum, value) => sum + (value / 32768) ** 2, 0) / spec.outputSampleRate;
  const expected = Math.min(1, 0.4 * 10 ** (spec.gainDb / 20)) ** 2 * 0.5 * 2;
  expect(Math.abs(10 * Math.log10(energy / expected))).toBeLessThan(1);
  const seconds = decoded.length / spec.outputSampleRate;
  expect(seconds).toBeGreaterThan(1.999);
  expect(seconds).toBeLessThan(2 + 4 * 0.06);
});

test("pcm at the engine's rate and 0 dB is the samples themselves", async () => {
  const samples = noise(5000, 1);
  samples[7] = -32768;
  expect(bytesToSamples(await encode(plain, samples))).toEqual(samples);
});

test.each(names)("%s: a stream without sound still ends as a file", async (name) => {
  const spec = specs[name] as EncoderSpec;
  const encoded = await encode(spec, new Int16Array(0), [], [0]);
  if (spec.format === "wav" || spec.format === "opus")
    expect(ffmpegDecode(encoded, spec.outputSampleRate).length).toBe(0);
  else expect(encoded.length).toBe(0);
});

test("sound leaves early: 100 ms in, most of it is out", async () => {
  for (const name of names) {
    const pipeline = await createPipeline(specs[name] as EncoderSpec);
    const bytes = pipeline.write(tone(300, 0.1, 22050));
    expect(bytes.length, name).toBeGreaterThan(150);
    pipeline.free();
  }
});

test("rates and bitrates that a format does not know are refused", async () => {
  await expect(createPipeline({ ...plain, format: "opus", outputSampleRate: 44100 })).rejects.toMatchObject({
    code: "unsupported_format",
  });
  await expect(createPipeline({ ...plain, format: "mp3", outputSampleRate: 24000 })).rejects.toMatchObject({
    code: "unsupported_format",
  });
});
