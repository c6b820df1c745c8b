import { afterAll, beforeAll, expect, it } from "vitest";
import { closeDecoderThreads } from "#audio/decoding/decoder-pool";
import { flacBomb } from "#audio/testing/audio-bombs";
import { ffmpegEncode } from "#audio/testing/ffmpeg";
import { speechLike } from "#audio/testing/speech-like";
import { measureVoiceSample } from "#audio/voice/measure-sample";
import type { Bus } from "#common/bus/bus";
import { connectNats } from "#common/bus/nats";
import { measureSamples } from "#control-plane/voices/measurement";
import { askEdges } from "#control-plane/voices/sample-questions";
import { type SampleServiceOptions, serveSamples } from "#edge/samples/serve-samples";
import { uploadsBucket } from "#protocol/bus/control";
import { type SampleQuestion, sampleSubjects } from "#protocol/bus/samples";
import { type ExternalServer, startNats } from "../harness/servers.js";
import { silentLog } from "./databases.js";

let nats: ExternalServer;
let edge: Bus;
let control: Bus;
const stored: string[] = [];

beforeAll(async () => {
  nats = await startNats();
  [edge, control] = (await Promise.all(
    ["edge", "control"].map((name) => connectNats({ url: nats.url, name, log: silentLog })),
  )) as [Bus, Bus];
  const bucket = control.objects(uploadsBucket);
  const { put } = bucket;
  bucket.put = (name, bytes) => {
    stored.push(name);
    return put.call(bucket, name, bytes);
  };
});
afterAll(async () => {
  await closeDecoderThreads();
  await Promise.all([edge.close(), control.close()]);
  await nats.stop();
});

async function withEdge<T>(changes: Partial<SampleServiceOptions>, work: () => Promise<T>): Promise<T> {
  const service = serveSamples({
    bus: edge,
    log: silentLog,
    measure: measureVoiceSample,
    transcribe: async (bytes) => ({ text: `${bytes.length} bytes`, languages: ["en"] }),
    ...changes,
  });
  await edge.flush();
  try {
    return await work();
  } finally {
    service.close();
    await edge.flush();
  }
}

const voice = speechLike({ pitchHz: 190, syllablesPerSecond: 4, seconds: 20, sampleRate: 16_000 });
const small = ffmpegEncode(voice, 16_000, ["-c:a", "flac", "-f", "flac"]);
const large = ffmpegEncode(voice, 16_000, ["-f", "wav"]);

it("has samples of any size measured and transcribed by an edge, and leaves nothing of them", async () => {
  const questions = askEdges(control, silentLog);
  await withEdge({}, async () => {
    const { traits, durationsMs } = await measureSamples(questions)([small, large]);
    expect(Math.abs(traits.pitchHz - 190)).toBeLessThan(3);
    expect(durationsMs).toEqual([20_000, 20_000]);
    expect(await questions.transcribe(large, 10_000)).toEqual({ text: `${large.length} bytes`, languages: ["en"] });
  });
  expect(stored.length).toBe(2);
  const left = await Promise.all(stored.map((name) => edge.objects(uploadsBucket).get(name)));
  expect(left).toEqual([null, null]);
});

it("gives the refusal of a sample, and which one is meant", async () => {
  const measure = measureSamples(askEdges(control, silentLog));
  await withEdge({}, async () => {
    await expect(measure([Buffer.from("no audio")])).rejects.toMatchObject({
      code: "bad_reference_audio",
      message: expect.stringContaining("not audio in any format"),
    });
    await expect(measure([small, flacBomb({ frames: 500, channels: 8, sampleRate: 48_000 })])).rejects.toMatchObject({
      code: "bad_reference_audio",
      message: "Reference audio cannot be used: voices[1]: it is longer than 5 minutes",
    });
  });
});

it("says what is missing when there is no edge, at once", async () => {
  const startedMs = performance.now();
  await expect(measureSamples(askEdges(control, silentLog))([small])).rejects.toMatchObject({
    code: "dependency_unavailable",
    parameters: { dependency: "Audio decoding" },
  });
  expect(performance.now() - startedMs).toBeLessThan(5000);
});

it("works on two samples at a time, and on none that nobody waits for any more", async () => {
  let most = 0;
  let running = 0;
  const seen: AbortSignal[] = [];
  const measure = (_: Uint8Array, signal: AbortSignal): Promise<never> => {
    seen.push(signal);
    most = Math.max(most, ++running);
    return new Promise((_, reject) => {
      signal.addEventListener("abort", () => {
        running--;
        reject(signal.reason);
      });
    });
  };
  const ask = (withinMs: number): Promise<unknown> => {
    const question: SampleQuestion = { body: small, bodyObject: null, withinMs };
    return control.request(sampleSubjects.measure, question, { timeoutMs: 10_000, dependency: "an edge" });
  };
  await withEdge({ measure }, async () => {
    const replies = await Promise.all([ask(300), ask(300), ask(100), ask(800)]);
    expect(replies).toEqual(
      Array.from({ length: 4 }, () => ({ ok: false, error: expect.objectContaining({ code: "overloaded" }) })),
    );
  });
  // The third gave up before its turn came.
  expect([most, seen.length]).toEqual([2, 3]);
});
