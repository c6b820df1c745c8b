import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RECOGNITION_RATE } from "#protocol/transcription/chunk";
import { decodeAudio } from "#audio/decoding/decode";
import { TranscriptionSession, type SessionEvent } from "#transcription/streaming/session";
import type { RecognitionOutput } from "#transcription/recognition/recognition-client";
import { startCluster, type TestCluster } from "../harness/cluster.js";
import { joinAsRecognitionClient, type TestRecognition } from "../harness/recognition-bus.js";
import { until } from "../harness/processes.js";
import { root } from "../structure/sources.js";

const PIECES = 60;
const PIECE_SAMPLES = 1.2 * RECOGNITION_RATE;
const recognizer = "parley-asr-en";
const detector = "parley-vad";

/**
 * The promise of docs/architecture.md, for transcription: what dies under it is repaired, and the words are those of
 * the undisturbed run.
 */
describe("kill -9 under sound that is being heard", () => {
  let cluster: TestCluster;
  let recognition: TestRecognition;
  let speech: Int16Array;

  beforeAll(async () => {
    cluster = await startCluster({
      schedulers: 2,
      workers: 2,
      readyMs: 110_000,
      settings: { PARLEY_WORKER_MODELS: `${recognizer},${detector}` },
    });
    recognition = await joinAsRecognitionClient(cluster.natsUrl, ["transcribe", "vad"]);
    const example = readFileSync(join(root, "models", detector, "example.opus"));
    speech = (await decodeAudio(example, { maxSeconds: 60, sampleRate: RECOGNITION_RATE })).pcm.samples;
  }, 120_000);
  afterAll(async () => {
    await recognition?.close();
    await cluster?.stop();
  });

  const livesOf = (name: string): number => cluster.processes().find((process) => process.name === name)?.lives ?? 0;

  async function killAndAwait(name: string): Promise<void> {
    const before = livesOf(name);
    expect([name, cluster.kill(name)]).toEqual([name, true]);
    await until(() => livesOf(name) > before, { withinMs: 10_000, what: `${name} to live again` });
  }

  /** Recognizes the speech in many pieces, out all at once; `onRecognized` is told how many are back. */
  async function recognizeFile(
    streamId: string,
    onRecognized: (recognized: number) => void = () => undefined,
  ): Promise<RecognitionOutput[]> {
    const stream = recognition.recognition.open({
      streamId,
      task: "transcribe",
      model: recognizer,
      tier: "bulk",
      language: "en",
      traceparent: null,
    });
    let recognized = 0;
    const pieces = Array.from({ length: PIECES }, (_, index) => {
      const from = Math.floor(((speech.length - PIECE_SAMPLES) * index) / PIECES);
      return stream.recognize(speech.subarray(from, from + PIECE_SAMPLES), { slackMs: 60_000 });
    });
    for (const piece of pieces)
      void piece.then(
        () => onRecognized(++recognized),
        () => undefined,
      );
    const results = await Promise.all(pieces);
    stream.close();
    return results;
  }

  it("a file of sixty pieces gives the words of the undisturbed run, whatever dies meanwhile", async () => {
    const undisturbed = await recognizeFile("undisturbed");
    expect(undisturbed.flatMap((piece) => (piece.task === "transcribe" ? piece.words : [])).length).toBeGreaterThan(
      PIECES / 2,
    );
    const victims = [
      { at: 1, name: "worker-1" },
      { at: 12, name: "nats" },
      { at: 30, name: "scheduler-1" },
    ];
    const kills: Promise<void>[] = [];
    const disturbed = await recognizeFile("disturbed", (recognized) => {
      for (const { at, name } of victims) if (recognized === at) kills.push(killAndAwait(name));
    });
    await Promise.all(kills);
    expect(kills.length).toBe(victims.length);
    expect(disturbed).toEqual(undisturbed);
    expect(recognition.recognition.activePieces).toBe(0);
  }, 60_000);

  async function listen(sessionId: string, onStarted: () => void = () => undefined): Promise<SessionEvent[]> {
    const events: SessionEvent[] = [];
    const session = new TranscriptionSession({
      recognition: recognition.recognition,
      sessionId,
      recognizer,
      detector,
      language: "en",
      traceparent: null,
      partials: true,
      onEvent: (event) => {
        events.push(event);
        if (event.type === "speech-started") onStarted();
      },
    });
    // A microphone at eight times the pace of speech.
    const portion = 0.2 * RECOGNITION_RATE;
    for (let at = 0; at < speech.length; at += portion) {
      session.push(speech.subarray(at, at + portion));
      await setTimeout(25);
    }
    session.end();
    await until(() => ["ended", "failed"].includes(events.at(-1)?.type ?? ""), {
      withinMs: 30_000,
      what: `the end of ${sessionId}`,
    });
    return events;
  }

  it("a live session commits the text of the undisturbed one when a worker dies in the middle", async () => {
    const committed = (events: SessionEvent[]): SessionEvent[] =>
      events.filter(({ type }) => type === "committed" || type === "failed");
    const undisturbed = await listen("undisturbed-session");
    expect(committed(undisturbed).some((event) => event.type === "committed" && event.words.length > 2)).toBe(true);
    const kills: Promise<void>[] = [];
    const disturbed = await listen("disturbed-session", () => {
      if (kills.length === 0) kills.push(killAndAwait("worker-2"));
    });
    await Promise.all(kills);
    expect(kills.length).toBe(1);
    expect(committed(disturbed)).toEqual(committed(undisturbed));
  }, 60_000);
});
