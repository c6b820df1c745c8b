import { encode } from "@msgpack/msgpack";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { flacBomb, oggFlacBomb, opusBomb, vorbisBomb, webmBomb } from "#common/audio/testing/audio-bombs";
import { ffmpegEncode } from "#common/audio/testing/ffmpeg";
import { speechLike } from "#common/audio/testing/speech-like";
import { startCluster, type TestCluster } from "../harness/cluster.js";
import { memoryOfRole } from "../harness/memory.js";
import { form, formType } from "../listening/audio-cases.js";

/** What a role may hold at its worst, MB. */
const MAX_EDGE_MB = 600;
const MAX_CONTROL_PLANE_MB = 700;

const flac = flacBomb({ frames: 500, channels: 8, sampleRate: 48_000 });
const longFlac = flacBomb({ frames: 5000, channels: 8, sampleRate: 8000, claimedSamples: 16_000 });
const bombs = [flac, longFlac, oggFlacBomb({ frames: 5000, channels: 8, sampleRate: 8000 }), opusBomb({ packets: 200_000, channels: 2, claimedGranule: 48_000 }),
  vorbisBomb({ packets: 5000, channels: 8 }), vorbisBomb({ packets: 200_000, channels: 255 }), webmBomb(10_000)];

describe("audio that decodes to far more than it is", () => {
  let cluster: TestCluster;
  beforeAll(async () => {
    cluster = await startCluster({ models: ["espeak", "parley-asr-en"], readyMs: 150_000 });
  }, 180_000);
  afterAll(() => cluster?.stop());

  const post = async (path: string, contentType: string, body: Uint8Array): Promise<{ status: number; body: string }> => {
    const headers = { authorization: `Bearer ${cluster.apiKey}`, "content-type": contentType, model: "s2-pro" };
    const response = await fetch(`${cluster.baseUrl}${path}`, { method: "POST", headers, body: Buffer.from(body) });
    return { status: response.status, body: Buffer.from(await response.arrayBuffer()).toString("latin1") };
  };
  const transcribe = (audio: Uint8Array): Promise<{ status: number; body: string }> => post("/v1/asr", formType, form([["audio", audio, "a.bin"]]));
  const voiceOf = (sample: Uint8Array): Promise<{ status: number; body: string }> =>
    post("/model", formType, form([["type", "tts"], ["train_mode", "fast"], ["title", "bomb"], ["voices", sample, "a.bin"]]));
  const speakAs = (sample: Uint8Array): Promise<{ status: number; body: string }> =>
    post("/v1/tts", "application/msgpack", encode({ text: "Hello.", format: "pcm", references: [{ audio: sample, text: "" }] }));
  const expectBounds = (): void => {
    expect(memoryOfRole(cluster, "edge").mostMb).toBeLessThan(MAX_EDGE_MB);
    expect(memoryOfRole(cluster, "control-plane").mostMb).toBeLessThan(MAX_CONTROL_PLANE_MB);
  };

  it("is refused by transcription, three of a kind at once", async () => {
    for (const bomb of [longFlac, bombs[2] ?? flac, bombs[3] ?? flac, bombs[5] ?? flac, bombs[6] ?? flac]) {
      const answers = await Promise.all([bomb, bomb, bomb].map(transcribe));
      expect(answers.map(({ status }) => status)).toEqual([400, 400, 400]);
      expectBounds();
    }
  }, 60_000);

  it("makes no voice, and leaves the control plane as small as it was", async () => {
    const before = memoryOfRole(cluster, "control-plane").nowMb;
    const answers = await Promise.all([flac, flac, flac].map(voiceOf));
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400]);
    expect(answers[0]?.body).toContain("Reference audio cannot be used: it is longer than 5 minutes");
    expect(memoryOfRole(cluster, "control-plane").nowMb - before).toBeLessThan(100);
    expectBounds();
  }, 60_000);

  it("speaks for nobody, and the honest client beside it gets through", async () => {
    const voice = ffmpegEncode(speechLike({ pitchHz: 190, syllablesPerSecond: 4, seconds: 3, sampleRate: 16_000 }), 16_000, ["-f", "wav"]);
    const attack = Promise.all(bombs.map(speakAs));
    const honest = await speakAs(voice);
    expect(honest.status).toBe(200);
    expect((await attack).map(({ status }) => status)).toEqual(bombs.map(() => 400));
    expectBounds();
  }, 60_000);
});
