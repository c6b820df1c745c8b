import { afterAll, expect, test } from "vitest";
import { noise } from "../testing/signals.js";
import type { EncoderSpec } from "./encoder.js";
import { createPipeline } from "./pipeline.js";
import { createEncoderPool } from "./pool.js";

const plain: EncoderSpec = {
  format: "pcm",
  inputSampleRate: 22_050,
  outputSampleRate: 24_000,
  mp3KilobitsPerSecond: 128,
  opusBitsPerSecond: null,
  gainDb: 6,
};
const pool = createEncoderPool({ threads: 1 });
afterAll(() => pool.close());

test.each([
  ["pcm at another rate", plain],
  ["pcm at the same rate", { ...plain, outputSampleRate: 22_050 }],
  ["wav", { ...plain, format: "wav" }],
] as const)("%s: the stream has the bytes of one that was encoded in one place, whatever comes first", async (_, spec) => {
  const samples = noise(22_050, 0.7);
  for (const firstSamples of [2205, 0, 20_000]) {
    const pipeline = await createPipeline(spec);
    const cut = (from: number, to: number): Int16Array => samples.slice(from, to);
    const expected = Buffer.concat([
      pipeline.write(cut(0, 21_000)),
      pipeline.flush(),
      pipeline.write(cut(21_000, 22_050)),
      pipeline.finish(),
    ]);
    const encoder = pool.open(spec);
    const parts = [
      encoder.write(cut(0, firstSamples)),
      encoder.write(cut(firstSamples, 21_000)),
      encoder.flush(),
      encoder.write(cut(21_000, 22_050)),
      encoder.finish(),
    ];
    expect(Buffer.concat(await Promise.all(parts)).equals(expected)).toBe(true);
    encoder.close();
  }
});

test("bytes come at once, also while the threads are busy for a long time", async () => {
  const [busy, plainStream] = [pool.open({ ...plain, format: "mp3", outputSampleRate: 44_100 }), pool.open(plain)];
  let isBusy = true;
  const long = busy.write(new Int16Array(22_050 * 60)).finally(() => {
    isBusy = false;
  });
  for (let i = 0; i < 3; i++) expect((await plainStream.write(noise(2205, 0.5))).length).toBeGreaterThan(4000);
  expect(isBusy).toBe(true);
  await long;
  busy.close();
  plainStream.close();
});

test("a stream that is closed or finished gives nothing", async () => {
  const closed = pool.open(plain);
  closed.close();
  await expect(closed.write(noise(2205, 0.5))).rejects.toMatchObject({ code: "internal", reason: "encoder_closed" });
  const finished = pool.open(plain);
  await finished.finish();
  await expect(finished.flush()).rejects.toMatchObject({ code: "internal", reason: "encoder_closed" });
});
