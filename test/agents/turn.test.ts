import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openCallerTranscription } from "#agents/turn/caller-transcription";
import { decodeAudio } from "#audio/decoding/decode";
import { systemClock } from "#common/clock";
import { RECOGNITION_RATE } from "#protocol/transcription/chunk";
import { type TestCluster, startCluster } from "../harness/cluster.js";
import { until } from "../harness/processes.js";
import { joinAsRecognitionClient, type TestRecognition } from "../harness/recognition-bus.js";
import { wordErrors } from "../harness/recognizer.js";
import { root } from "../structure/sources.js";

const folder = join(root, "workers/engines/ctc/testing/clips");
const PER_MS = RECOGNITION_RATE / 1000;
const PAUSE_MS = 900;

interface Happened {
  type: "started" | "paused" | "partial" | "transcript" | "transcribed";
  /** Since the first sample. */
  atMs: number;
  text?: string;
}

/** Two sentences of a person, a pause after each. */
async function sentences(): Promise<{ samples: Int16Array; said: string[]; startMs: number[]; endMs: number[] }> {
  const lines = readFileSync(join(folder, "sentences.tsv"), "utf8").trim().split("\n").slice(0, 2);
  const [startMs, endMs, said]: [number[], number[], string[]] = [[], [], []];
  let samples = new Int16Array(500 * PER_MS);
  for (const line of lines) {
    const [file = "", text = ""] = line.split("\t");
    const { pcm } = await decodeAudio(readFileSync(join(folder, file)), {
      maxSeconds: 30,
      sampleRate: RECOGNITION_RATE,
    });
    startMs.push(samples.length / PER_MS);
    samples = Int16Array.from([...samples, ...pcm.samples]);
    endMs.push(samples.length / PER_MS);
    said.push(text);
    samples = Int16Array.from([...samples, ...new Int16Array(PAUSE_MS * PER_MS)]);
  }
  return { samples, said, startMs, endMs };
}

describe("a caller of a real cluster", () => {
  let cluster: TestCluster;
  let client: TestRecognition;
  beforeAll(async () => {
    cluster = await startCluster({ workers: 1, models: ["parley-asr-en", "parley-vad"], readyMs: 150_000 });
    client = await joinAsRecognitionClient(cluster.natsUrl, ["transcribe", "vad"]);
  }, 180_000);
  afterAll(async () => {
    await client?.close();
    await cluster?.stop();
  });

  it("is known to speak while they begin, and understood when they pause", async () => {
    const { samples, said, startMs, endMs } = await sentences();
    const happened: Happened[] = [];
    const beginMs = systemClock.nowMs();
    const add = (type: Happened["type"], text?: string): void =>
      void happened.push({ type, atMs: systemClock.nowMs() - beginMs, ...(text === undefined ? {} : { text }) });
    const transcription = openCallerTranscription({
      recognition: client.recognition,
      recognizer: "parley-asr-en",
      detector: "parley-vad",
      language: "en",
      traceparent: null,
      clock: systemClock,
      onActivity: ({ type }) => add(type === "speech-started" ? "started" : "paused"),
      onPartial: (text) => add("partial", text),
      onTranscript: (text) => add("transcript", text),
      onTranscribed: () => add("transcribed"),
    });
    for (let at = 0; at < samples.length; at += 20 * PER_MS) {
      // In the pace of speech: the portion's last sample has just been spoken.
      await wait(Math.max(0, beginMs + at / PER_MS + 20 - systemClock.nowMs()));
      transcription.push(samples.slice(at, at + 20 * PER_MS));
    }
    await until(() => happened.at(-1)?.type === "transcribed", { withinMs: 20_000, what: "the last words" });
    transcription.close();

    const starts = happened.filter(({ type }) => type === "started");
    for (const [index, fromMs] of startMs.entries()) {
      const start = starts.find(({ atMs }) => atMs >= fromMs);
      // Each recording begins with some silence of its own.
      expect((start?.atMs ?? Number.POSITIVE_INFINITY) - fromMs, said[index]).toBeLessThan(800);
      expect(happened.some(({ type, atMs }) => type === "paused" && atMs > (endMs[index] ?? 0) - 300)).toBe(true);
    }
    const activity = happened.filter(({ type }) => type === "started" || type === "paused");
    expect(activity.map(({ type }) => type)).toEqual(
      activity.map((_, index) => (index % 2 === 0 ? "started" : "paused")),
    );
    expect(happened.find(({ type }) => type === "partial")?.text).not.toBe("");
    const transcripts = happened.flatMap(({ type, text }) => (type === "transcript" ? [text] : []));
    const { errors, words } = wordErrors(said.join(" "), transcripts.join(" "));
    // The reader pauses within the sentences, and what is said after such a pause is recognized without what was before.
    expect(errors / words, transcripts.join(" | ")).toBeLessThan(0.55);
  });
});
