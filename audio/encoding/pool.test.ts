import type { Worker } from "node:worker_threads";
import { afterAll, expect, test } from "vitest";
import { noise, tone } from "../testing/signals.js";
import type { EncoderSpec } from "./encoder.js";
import { createPipeline } from "./pipeline.js";
import { createEncoderPool, startEncoderWorker } from "./pool.js";

const spec: EncoderSpec = {
  format: "mp3",
  inputSampleRate: 22050,
  outputSampleRate: 44100,
  mp3KilobitsPerSecond: 128,
  opusBitsPerSecond: null,
  gainDb: 0,
};
const pool = createEncoderPool({ threads: 2 });
afterAll(() => pool.close());

async function alone(samples: Int16Array): Promise<Buffer> {
  const pipeline = await createPipeline(spec);
  return Buffer.concat([pipeline.write(samples), pipeline.finish()]);
}

test("streams on the same threads do not mix, and calls need not wait for each other", async () => {
  const results = await Promise.all(
    Array.from({ length: 6 }, async (_, index) => {
      const samples = noise(30_000, 0.5, index + 1);
      const expected = await alone(samples.slice());
      const encoder = pool.open(spec);
      const parts: Promise<Uint8Array>[] = [];
      for (let from = 0; from < samples.length; from += 2205)
        parts.push(encoder.write(samples.slice(from, from + 2205)));
      parts.push(encoder.finish());
      const bytes = Buffer.concat(await Promise.all(parts));
      encoder.close();
      return bytes.equals(expected);
    }),
  );
  expect(results).toEqual(Array.from({ length: 6 }, () => true));
});

test("samples that span their buffer are moved, slices of larger memory are copied", async () => {
  const encoder = pool.open(spec);
  const whole = tone(300, 0.1, 22050);
  const larger = tone(300, 0.1, 22050);
  await Promise.all([encoder.write(whole), encoder.write(larger.subarray(10, 500))]);
  expect(whole.length).toBe(0);
  expect(larger.length).toBe(2205);
  encoder.close();
});

test("closing rejects what is pending and what comes later", async () => {
  const encoder = pool.open(spec);
  const pending = encoder.write(tone(300, 5, 22050));
  encoder.close();
  encoder.close();
  await expect(pending).rejects.toMatchObject({ code: "internal", reason: "encoder_closed" });
  await expect(encoder.flush()).rejects.toMatchObject({ code: "internal" });
});

test("of streams that share a thread, the one whose player runs dry first is encoded first, each in its order", async () => {
  const shared = createEncoderPool({ threads: 1 });
  const [ahead, dry] = [shared.open(spec), shared.open(spec)];
  const answered: string[] = [];
  const write = (name: string, to: typeof ahead, dueMs?: number): Promise<unknown> =>
    to.write(tone(300, 0.3, 22050), dueMs).then(() => answered.push(name));
  await Promise.all([
    ...[5000, 5300, 5600, 0].map((dueMs, index) => write(`ahead ${index}`, ahead, dueMs)),
    write("dry 0", dry),
    write("dry 1", dry, 100),
  ]);
  // The thread had its first two calls before the others came.
  expect(answered).toEqual(["ahead 0", "ahead 1", "dry 0", "dry 1", "ahead 2", "ahead 3"]);
  await shared.close();
});

test("what a closed stream had waiting keeps nobody", async () => {
  const shared = createEncoderPool({ threads: 1 });
  const [gone, other] = [shared.open(spec), shared.open(spec)];
  const pending = Array.from({ length: 50 }, () => gone.write(tone(300, 0.3, 22050)));
  gone.close();
  expect((await other.write(tone(300, 0.3, 22050))).length).toBeGreaterThan(0);
  for (const answer of pending) await expect(answer).rejects.toMatchObject({ reason: "encoder_closed" });
  await shared.close();
});

test("a finished stream takes nothing more", async () => {
  const encoder = pool.open(spec);
  await encoder.write(tone(300, 0.1, 22050));
  expect((await encoder.finish()).length).toBeGreaterThan(0);
  await expect(encoder.write(tone(300, 0.1, 22050))).rejects.toMatchObject({
    code: "internal",
    reason: "encoder_closed",
  });
  encoder.close();
});

test("a spec that cannot be encoded rejects each call with the reason", async () => {
  const encoder = pool.open({ ...spec, format: "opus", outputSampleRate: 44100 });
  await expect(encoder.write(tone(300, 0.1, 22050))).rejects.toMatchObject({ code: "unsupported_format" });
  await expect(encoder.finish()).rejects.toMatchObject({ code: "unsupported_format" });
  encoder.close();
});

test("a dead thread rejects its streams' calls, the others go on, and new streams find a new thread", async () => {
  const workers: Worker[] = [];
  const startWorker = (): Worker => {
    const worker = startEncoderWorker();
    workers.push(worker);
    return worker;
  };
  const shaken = createEncoderPool({ threads: 2, startWorker });
  const [first, second] = [shaken.open(spec), shaken.open(spec)];
  await Promise.all([first.write(tone(300, 0.1, 22050)), second.write(tone(300, 0.1, 22050))]);
  const pending = first.write(tone(300, 60, 22050));
  await Promise.all([
    workers[0]?.terminate(),
    expect(pending).rejects.toMatchObject({ code: "internal", reason: "encoder_thread_ended" }),
  ]);
  await expect(first.finish()).rejects.toMatchObject({ code: "internal" });
  await second.write(tone(300, 0.1, 22050));
  const next = shaken.open(spec);
  expect((await next.write(tone(300, 1, 22050))).length).toBeGreaterThan(0);
  expect(workers.length).toBe(3);
  await shaken.close();
  expect(() => shaken.open(spec)).toThrow();
});
