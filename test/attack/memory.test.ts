import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { encode } from "@msgpack/msgpack";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { flacBomb, opusBomb, webmBomb } from "#audio/testing/audio-bombs";
import { ffmpegEncode } from "#audio/testing/ffmpeg";
import { speechLike } from "#audio/testing/speech-like";
import { startCluster, type TestCluster } from "../harness/cluster.js";
import { memoryOfRole } from "../harness/memory.js";
import { until } from "../harness/processes.js";
import { addTeamTo } from "../harness/team.js";
import { form, formType } from "../transcription/audio-cases.js";
import { root } from "../structure/sources.js";
import { longAnswer } from "./attacks/audio.js";
import { memoryBoundsMb } from "./bounds.js";
import { openRaw } from "./connection.js";
import { resetPeakMemory } from "./observation.js";

const MB = 2 ** 20;

interface Answer {
  status: number;
  body: string;
  tookMs: number;
}

let cluster: TestCluster;
/** Key of a team that does nothing wrong, beside the development key's. */
let honestKey: string;

beforeAll(async () => {
  cluster = await startCluster({ models: ["espeak", "parley-asr-en"], readyMs: 150_000 });
  honestKey = await addTeamTo(cluster, "honest");
}, 180_000);
afterAll(() => cluster?.stop());
beforeEach(() => resetPeakMemory(cluster));

function expectBounds(): void {
  for (const role of ["edge", "control-plane"] as const)
    expect([role, memoryOfRole(cluster, role).mostOwnMb < memoryBoundsMb[role]]).toEqual([role, true]);
}

async function post(path: string, contentType: string, body: Uint8Array, apiKey = cluster.apiKey): Promise<Answer> {
  const startedMs = performance.now();
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": contentType, model: "s2-pro" };
  const response = await fetch(`${cluster.baseUrl}${path}`, { method: "POST", headers, body: Buffer.from(body) });
  const text = Buffer.from(await response.arrayBuffer()).toString("latin1");
  return { status: response.status, body: text, tookMs: performance.now() - startedMs };
}

const target = (): { host: string; port: number } => ({
  host: new URL(cluster.baseUrl).hostname,
  port: Number(new URL(cluster.baseUrl).port),
});
const statuses = (answers: readonly Answer[]): number[] => answers.map(({ status }) => status);

describe("audio that decodes to far more than it is", () => {
  const flac = flacBomb({ frames: 500, channels: 8, sampleRate: 48_000 });
  const longFlac = flacBomb({ frames: 5000, channels: 8, sampleRate: 8000, claimedSamples: 16_000 });

  const transcribe = (audio: Uint8Array): Promise<Answer> =>
    post("/v1/asr", formType, form([["audio", audio, "a.bin"]]));
  const voiceOf = (sample: Uint8Array): Promise<Answer> =>
    post(
      "/model",
      formType,
      form([
        ["type", "tts"],
        ["train_mode", "fast"],
        ["title", "bomb"],
        ["voices", sample, "a.bin"],
      ]),
    );
  const speakAs = (sample: Uint8Array): Promise<Answer> =>
    post(
      "/v1/tts",
      "application/msgpack",
      encode({ text: "Hello.", format: "pcm", references: [{ audio: sample, text: "" }] }),
    );

  it("is refused by transcription, two of a kind at once", async () => {
    expect(statuses(await Promise.all([longFlac, longFlac].map(transcribe)))).toEqual([400, 400]);
    expectBounds();
  }, 60_000);

  it("makes no voice, and leaves the control plane as small as it was", async () => {
    const beforeMb = memoryOfRole(cluster, "control-plane").nowMb;
    const answers = await Promise.all([flac, flac, flac].map(voiceOf));
    expect(statuses(answers)).toEqual([400, 400, 400]);
    expect(answers[0]?.body).toContain("Reference audio cannot be used: it is longer than 5 minutes");
    expect(memoryOfRole(cluster, "control-plane").nowMb - beforeMb).toBeLessThan(100);
    expectBounds();
  }, 60_000);

  it("speaks for nobody, and the honest client beside it gets through", async () => {
    const voice = ffmpegEncode(
      speechLike({ pitchHz: 190, syllablesPerSecond: 4, seconds: 3, sampleRate: 16_000 }),
      16_000,
      ["-f", "wav"],
    );
    const bombs = [flac, opusBomb({ packets: 200_000, channels: 2, claimedGranule: 48_000 }), webmBomb(10_000)];
    // Making these took seconds, in which the edge may have closed connections that this process takes for open.
    await setImmediate();
    const attack = Promise.all(bombs.map(speakAs));
    expect((await speakAs(voice)).status).toBe(200);
    expect(statuses(await attack)).toEqual(bombs.map(() => 400));
    expectBounds();
  }, 60_000);
});

describe("uploads that come slowly", () => {
  const clip = readFileSync(join(root, "workers/engines/ctc/testing/clips/LJ001-0090.flac"));
  const transcribe = (): Promise<Answer> => post("/v1/asr", formType, form([["audio", clip, "a.flac"]]), honestKey);

  interface SlowUpload {
    sentBytes(): number;
    /** What the server said so far. */
    answer(): string;
    close(): void;
  }

  /** Begins an upload of twenty megabytes by the development key's team; `firstBytes` are sent at once. */
  function uploadSlowly(bytesPerSecond: number, firstBytes = 0): SlowUpload {
    const STEP_MS = 100;
    const socket = connect(target());
    let answer = "";
    socket.on("data", (data) => {
      answer += data.toString("latin1");
    });
    socket.on("error", () => socket.destroy());
    const head = `POST /v1/asr HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${cluster.apiKey}\r\nContent-Type: ${formType}\r\nContent-Length: ${20 * MB}\r\n\r\n`;
    socket.write(
      `${head}${
        form([["audio", "", "a.wav"]])
          .toString("latin1")
          .split("\r\n\r\n")[0]
      }\r\n\r\n`,
    );
    let sentBytes = firstBytes;
    if (firstBytes > 0) socket.write(Buffer.alloc(firstBytes));
    const timer = setInterval(() => {
      sentBytes += (bytesPerSecond * STEP_MS) / 1000;
      socket.write(Buffer.alloc((bytesPerSecond * STEP_MS) / 1000));
    }, STEP_MS);
    const close = (): void => {
      clearInterval(timer);
      socket.destroy();
    };
    return { sentBytes: () => sentBytes, answer: () => answer, close };
  }

  it("leave room for another team's, whose answer comes as soon as without them", async () => {
    await transcribe();
    const alone = await transcribe();
    const slow = Array.from({ length: 7 }, () => uploadSlowly(45_000));
    await until(() => slow.every((upload) => upload.sentBytes() > 45_000), {
      withinMs: 10_000,
      what: "the attack to begin",
    });
    const beside = await Promise.all([1, 2, 3].map(transcribe));
    expect(statuses(beside)).toEqual([200, 200, 200]);
    expect(Math.max(...beside.map(({ tookMs }) => tookMs))).toBeLessThan(3000 + 3 * alone.tookMs);
    expect(slow.map((upload) => upload.answer())).toEqual(slow.map(() => ""));
    slow.forEach((upload) => upload.close());
  }, 60_000);

  it("are refused when they are slower than the least rate", async () => {
    // As many as one team may send at once: of one that waits nothing is read.
    const crawling = Array.from({ length: 11 }, () => uploadSlowly(1000));
    const refusal = /^HTTP\/1\.1 408 .*The request body came more slowly than 16384 bytes a second/s;
    await until(() => crawling.every((upload) => refusal.test(upload.answer())), {
      withinMs: 30_000,
      what: "refusals",
      seen: () => ({ answers: crawling.map((upload) => upload.answer()), processes: cluster.processes() }),
    });
    crawling.forEach((upload) => upload.close());
    expect((await transcribe()).status).toBe(200);
  }, 60_000);

  it("do not fill the memory, however much comes before they slow down", async () => {
    const heavy = Array.from({ length: 40 }, () => uploadSlowly(20_000, 19 * MB));
    await until(() => heavy.every((upload) => upload.sentBytes() > 19 * MB + 60_000), {
      withinMs: 20_000,
      what: "the attack to begin",
    });
    expect((await transcribe()).status).toBe(200);
    expectBounds();
    heavy.forEach((upload) => upload.close());
  }, 60_000);
});

describe("answers that are one object", () => {
  const CHARACTERS_OF_MINUTES = 19_000;
  /**
   * What unread answers may take beside what the edge has anyhow: half of their budget, and what garbage lies about.
   */
  const MAX_GROWTH_MB = 110;
  const ATTACK_MS = 25_000;

  const chat = (text: string, apiKey: string): Promise<Answer> =>
    post(
      "/compat/v1/chat/completions",
      "application/json",
      Buffer.from(JSON.stringify({ modalities: ["text", "audio"], messages: [{ role: "user", content: text }] })),
      apiKey,
    );

  it("are refused at once for a text of hours, in words that say what to do", async () => {
    const { status, body, tookMs } = await chat("And so on. ".repeat(90_000), honestKey);
    expect([status, (JSON.parse(body) as { error: unknown }).error]).toEqual([
      400,
      expect.objectContaining({
        type: "invalid_request_error",
        param: "messages",
        message: expect.stringContaining("its text may have 20000 characters; set stream, or split the text"),
      }),
    ]);
    expect(tookMs).toBeLessThan(5000);
  }, 60_000);

  it("take no more than their share of memory, complete or not, while nobody reads them", async () => {
    expect((await chat("Hello.", honestKey)).status).toBe(200);
    const beforeMb = memoryOfRole(cluster, "edge").nowMb;
    const over = AbortSignal.timeout(ATTACK_MS);
    for (let lane = 0; lane < 6; lane++)
      await openRaw(target(), over, true).send(longAnswer(cluster.apiKey, CHARACTERS_OF_MINUTES));
    await new Promise((resolve) => over.addEventListener("abort", resolve, { once: true }));
    const grownMb = memoryOfRole(cluster, "edge").mostMb - beforeMb;
    const beside = await chat("Hello.", honestKey);
    expect(beside.status).toBe(200);
    expect(grownMb).toBeLessThan(MAX_GROWTH_MB);
  }, 60_000);
});
