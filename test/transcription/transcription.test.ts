import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { FishAudioClient } from "fish-audio";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Transcript } from "#protocol/transcription/request";
import { modelEntity } from "#protocol/voices";
import { bytesToSamples, samplesToBytes } from "#audio/pcm";
import { wavFile } from "#audio/testing/wav-file";
import { startCluster, type TestCluster } from "../harness/cluster.js";
import { documentedError } from "../bad-input/documented.js";
import { decodeWithFfmpeg } from "../harness/audio.js";
import { speech } from "../harness/http-speech.js";
import { root } from "../structure/sources.js";
import { type AudioCase, audioCases, form, formType, type RightAnswer } from "./audio-cases.js";

/**
 * What the edge may hold at its worst, MB: the largest uploads, their decoders and a window of each audio, never a
 * audio as a whole.
 */
const MAX_EDGE_MB = 800;

const folder = join(root, "workers/engines/ctc/testing/clips");
const clips = readFileSync(join(folder, "sentences.tsv"), "utf8")
  .trim()
  .split("\n")
  .map((line) => {
    const [name = "", text = ""] = line.split("\t");
    return { audio: readFileSync(join(folder, name)), words: wordsOf(text) };
  });

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[a-z']+/g) ?? [];
}

describe("transcription by the real recognizer", () => {
  let cluster: TestCluster;
  let canary: ReturnType<typeof createServer>;
  const visits: string[] = [];

  beforeAll(async () => {
    canary = createServer((request, response) => {
      visits.push(request.url ?? "");
      response.end();
    }).listen(0, "127.0.0.1");
    const settings = { PARLEY_WORKER_MODELS: "espeak,parley-asr-en,parley-vad", PARLEY_ADMISSION_WAIT_MS: "600000" };
    cluster = await startCluster({ workers: 1, settings, readyMs: 150_000 });
    // The edge learns of a worker's models a heartbeat after the worker is ready.
    await vi.waitFor(
      async () => expect(await (await fetch(`${cluster.baseUrl}/health`)).text()).toContain("parley-asr-en"),
      20_000,
    );
  }, 180_000);
  afterAll(async () => {
    canary?.close();
    await cluster?.stop();
  });

  const send = (contentType: string, body: Uint8Array, signal?: AbortSignal): Promise<Response> =>
    fetch(`${cluster.baseUrl}/v1/asr`, {
      method: "POST",
      headers: { authorization: `Bearer ${cluster.apiKey}`, "content-type": contentType },
      body: Buffer.from(body),
      ...(signal === undefined ? {} : { signal }),
    });
  const transcribe = async (audio: Uint8Array, fields: [string, string][] = []): Promise<Transcript> => {
    const response = await send(formType, form([["audio", audio, "a"], ...fields]));
    const answer = await response.text();
    expect(response.status, answer).toBe(200);
    return JSON.parse(answer) as Transcript;
  };

  it("writes down the samples of a voice that came without a text", async () => {
    const [known, unknown] = [clips[0], clips[1]];
    if (known === undefined || unknown === undefined) throw new Error("no clips");
    const fields: [string, string | Uint8Array, string?][] = [
      ["type", "tts"],
      ["train_mode", "fast"],
      ["title", "A reader"],
      ["texts", "as given"],
    ];
    const body = form([...fields, ["voices", known.audio, "a.flac"], ["voices", unknown.audio, "b.flac"]]);
    const headers = { authorization: `Bearer ${cluster.apiKey}`, "content-type": formType };
    const response = await fetch(`${cluster.baseUrl}/model`, { method: "POST", headers, body: Buffer.from(body) });
    expect(response.status).toBe(201);
    const { samples, languages } = modelEntity.parse(await response.json());
    expect([samples[0]?.text, languages]).toEqual(["as given", ["en"]]);
    expect(wordErrors(wordsOf(samples[1]?.text ?? ""), unknown.words) / unknown.words.length).toBeLessThan(0.4);
  }, 60_000);

  it("hears what people say, and when", async () => {
    let wrong = 0;
    for (const { audio, words } of clips) {
      const { text, duration, segments, ...language } = await transcribe(audio, [
        ["timestamp_granularity", "word"],
        ["language", "en"],
      ]);
      wrong += wordErrors(wordsOf(text), words);
      expect(language).toEqual({ language_code: "en", language: "English" });
      expect(segments.map((segment) => segment.text).join(" ")).toBe(text);
      expect(
        segments.every(({ start, end }, i) => start < end && end <= duration && start >= (segments[i - 1]?.end ?? 0)),
      ).toBe(true);
    }
    expect(wrong / clips.flatMap(({ words }) => words).length).toBeLessThan(0.25);
  }, 60_000);

  it("knows the product's own name, which the guide of a new data directory is asked about", async () => {
    const question = await speech(cluster, {
      text: "Please tell me, what is Parley?",
      format: "wav",
      sample_rate: 16_000,
    });
    expect((await transcribe(question)).text).toContain("what is Parley");
  }, 60_000);

  it("gives the vendor's own library what it expects", async () => {
    const client = new FishAudioClient({ baseUrl: cluster.baseUrl, apiKey: cluster.apiKey });
    const audio = new File([clips[0]?.audio ?? ""], "clip.flac");
    const result = await client.speechToText.convert({ audio, language: "en", ignore_timestamps: false });
    expect(wordErrors(wordsOf(result.text), clips[0]?.words ?? [])).toBeLessThan(4);
    expect(result.segments.map(({ text }) => text).join(" ")).toBe(result.text);
    expect(result.duration).toBeGreaterThan(2);
    await expect(client.speechToText.convert({ audio: new File(["no audio"], "a.mp3") })).rejects.toMatchObject({
      statusCode: 400,
      body: { status: 400 },
    });
    await expect(client.speechToText.convert({ audio, language: "de" })).rejects.toMatchObject({
      body: { message: expect.stringContaining("available: en") },
    });
  }, 60_000);

  it("gives a long recording's words at the times that they have alone, over all seams", async () => {
    const parts = await Promise.all(
      clips.map(async ({ audio }) => (await decodeWithFfmpeg(audio, { sampleRate: 16_000 })).samples),
    );
    const gap = new Int16Array(16_000);
    const whole: Int16Array[] = [];
    const starts: number[] = [];
    let at = 0;
    for (let round = 0; round < 4; round++) {
      for (const part of parts) {
        starts.push(at / 16_000);
        whole.push(part, gap);
        at += part.length + gap.length;
      }
    }
    const samples = bytesToSamples(Buffer.concat(whole.map(samplesToBytes)));
    const long = await transcribe(wav(samples), [["timestamp_granularity", "word"]]);
    expect(long.duration).toBeCloseTo(samples.length / 16_000, 2);
    const alone = await Promise.all(parts.map((part) => transcribe(wav(part), [["timestamp_granularity", "word"]])));
    const expected = starts.flatMap((start, i) =>
      (alone[i % alone.length]?.segments ?? []).map((word) => ({ text: word.text, start: word.start + start })),
    );
    expect(long.segments.every(({ start }, i) => start >= (long.segments[i - 1]?.end ?? 0))).toBe(true);
    // What stands around a word changes how it is understood, for words are chosen by those before them; it does not
    // change where the word is.
    const foundWithin = (seconds: number): number =>
      expected.filter(({ text, start }) =>
        long.segments.some((word) => word.text === text && Math.abs(word.start - start) < seconds),
      ).length;
    expect(foundWithin(0.1)).toBe(foundWithin(0.7));
    expect(foundWithin(0.1) / expected.length).toBeGreaterThan(0.7);
    expect(Math.abs(long.segments.length - expected.length) / expected.length).toBeLessThan(0.07);
  }, 60_000);

  it("drops everything within two seconds when the client leaves", async () => {
    const { samples } = await decodeWithFfmpeg(clips[0]?.audio ?? new Uint8Array(), { sampleRate: 16_000 });
    const long = wav(bytesToSamples(Buffer.concat(Array.from({ length: 100 }, () => samplesToBytes(samples)))));
    const leaving = new AbortController();
    const request = send(formType, form([["audio", long, "long.wav"]]), leaving.signal).catch(
      (error: Error) => error.name,
    );
    await expect.poll(work, { timeout: 20_000 }).toBeGreaterThan(2);
    leaving.abort();
    expect(await request).toBe("AbortError");
    await expect.poll(work, { timeout: 2000 }).toBe(0);
  }, 60_000);

  it("answers good and bad audio of all kinds as documented", async () => {
    const cases = audioCases(`http://127.0.0.1:${(canary.address() as AddressInfo).port}/canary`);
    expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
    expect(cases.length).toBeGreaterThan(200);
    const failures: string[] = [];
    const waiting = [...cases];
    const worker = async (): Promise<void> => {
      for (let asked = waiting.shift(); asked !== undefined; asked = waiting.shift()) {
        const failure = await judge(asked).catch((error: unknown) => `no answer: ${String(error)}`);
        if (failure !== null) failures.push(`${asked.name}: ${failure}`);
      }
    };
    await Promise.all(Array.from({ length: 8 }, worker));
    expect(failures).toEqual([]);
    expect(visits).toEqual([]);
    const still = await transcribe(clips[0]?.audio ?? new Uint8Array());
    expect(wordErrors(wordsOf(still.text), clips[0]?.words ?? [])).toBeLessThan(4);
  }, 120_000);

  it("lost no process, complained of nothing, and kept its memory within bounds", () => {
    expect(cluster.processes().filter((process) => process.lives !== 1 || process.pid === null)).toEqual([]);
    expect(cluster.complaints.filter(({ level }) => level === "error" || level === "fatal")).toEqual([]);
    const edge = cluster.processes().find(({ name }) => name === "edge");
    const peakKb = Number(/VmHWM:\s*(\d+) kB/.exec(readFileSync(`/proc/${edge?.pid}/status`, "latin1"))?.[1]);
    expect(peakKb / 1024).toBeLessThan(MAX_EDGE_MB);
  });

  async function judge({ contentType, body, right }: AudioCase): Promise<string | null> {
    const response = await send(contentType, body);
    const text = await response.text();
    const verdicts = right.map((answer) => judgeAnswer(answer, response.status, text));
    return verdicts.includes(null) ? null : `${verdicts.join("; ")}; got ${response.status} ${text.slice(0, 200)}`;
  }

  /** Requests that the edge transcribes, and pieces of audio that wait in schedulers or are being recognized. */
  async function work(): Promise<number> {
    const [metrics, health] = await Promise.all(
      ["/metrics", "/health"].map((path) => fetch(cluster.baseUrl + path).then((response) => response.text())),
    );
    const active = Number(/^parley_transcriptions_active\{.*\} (\d+)/m.exec(metrics ?? "")?.[1] ?? 0);
    const { schedulers } = JSON.parse(health ?? "") as {
      schedulers: { loads: { slots: number; free_slots: number; queued_chunks: number }[] }[];
    };
    return schedulers
      .flatMap(({ loads }) => loads)
      .reduce((sum, load) => sum + load.queued_chunks + load.slots - load.free_slots, active);
  }
});

const wav = (samples: Int16Array): Buffer =>
  wavFile({ sampleRate: 16_000, channels: 1, bits: 16 }, samples.length, (frame) => (samples[frame] ?? 0) / 32_768);

/** Null when the answer is right. */
function judgeAnswer(right: RightAnswer, status: number, text: string): string | null {
  if (typeof right === "string" && right !== "any transcript") {
    const documented = documentedError(right);
    if (status !== documented.status) return `expected ${documented.status} ${right}`;
    if (documented.body !== "message") return null;
    return documented.message.test((JSON.parse(text) as { message: string }).message)
      ? null
      : `expected the message of ${right}`;
  }
  if (status !== 200) return "expected a transcript";
  const transcript = JSON.parse(text) as Transcript;
  if (typeof transcript.text !== "string" || !Array.isArray(transcript.segments) || !(transcript.duration >= 1))
    return "no transcript";
  if (typeof right === "string") return null;
  return Math.abs(transcript.duration - right.seconds) <= (right.tolerance ?? 0.001)
    ? null
    : `expected ${right.seconds} seconds`;
}

/** Words to insert, drop and change (Levenshtein). */
function wordErrors(recognized: readonly string[], said: readonly string[]): number {
  let row = Array.from({ length: said.length + 1 }, (_, i) => i);
  for (const [index, word] of recognized.entries()) {
    const next = [index + 1];
    for (let i = 1; i <= said.length; i++) {
      next.push(
        Math.min(
          (row[i] as number) + 1,
          (next[i - 1] as number) + 1,
          (row[i - 1] as number) + (word === said[i - 1] ? 0 : 1),
        ),
      );
    }
    row = next;
  }
  return row[said.length] as number;
}
