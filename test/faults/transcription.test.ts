import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LISTENING_RATE } from "#protocol/transcription/chunk";
import { decodeAudio } from "#audio/decoding/decode";
import { ListeningSession, type SessionEvent } from "#transcription/streaming/session";
import type { HeardPiece } from "#transcription/recognition/recognition-client";
import { startCluster, type TestCluster } from "../harness/cluster.js";
import { joinAsEar, type TestEar } from "../harness/recognition-bus.js";
import { until } from "../harness/processes.js";
import { root } from "../structure/sources.js";

const PIECES = 60;
const PIECE_SAMPLES = 1.2 * LISTENING_RATE;
const recognizer = "parley-asr-en";
const detector = "parley-vad";

/**
 * The promise of design/reliability.md, for sound: what dies under it is repaired, and the words are those of the
 * undisturbed run.
 */
describe("kill -9 under sound that is being heard", () => {
  let cluster: TestCluster;
  let ear: TestEar;
  let speech: Int16Array;

  beforeAll(async () => {
    cluster = await startCluster({
      schedulers: 2,
      workers: 2,
      readyMs: 110_000,
      settings: { PARLEY_WORKER_MODELS: `${recognizer},${detector}` },
    });
    ear = await joinAsEar(cluster.natsUrl, ["listen", "detect"]);
    const example = readFileSync(join(root, "models", detector, "example.opus"));
    speech = (await decodeAudio(example, { maxSeconds: 60, sampleRate: LISTENING_RATE })).pcm.samples;
  }, 120_000);
  afterAll(async () => {
    await ear?.close();
    await cluster?.stop();
  });

  const livesOf = (name: string): number => cluster.processes().find((process) => process.name === name)?.lives ?? 0;

  async function killAndAwait(name: string): Promise<void> {
    const before = livesOf(name);
    expect([name, cluster.kill(name)]).toEqual([name, true]);
    await until(() => livesOf(name) > before, { withinMs: 10_000, what: `${name} to live again` });
  }

  /** Hears the speech in many pieces, out all at once; `onHeard` is told how many are back. */
  async function hearFile(streamId: string, onHeard: (heard: number) => void = () => undefined): Promise<HeardPiece[]> {
    const stream = ear.sound.open({
      streamId,
      task: "listen",
      model: recognizer,
      tier: "bulk",
      language: "en",
      traceparent: null,
    });
    let heard = 0;
    const pieces = Array.from({ length: PIECES }, (_, index) => {
      const from = Math.floor(((speech.length - PIECE_SAMPLES) * index) / PIECES);
      return stream.hear(speech.subarray(from, from + PIECE_SAMPLES), { slackMs: 60_000 });
    });
    for (const piece of pieces)
      void piece.then(
        () => onHeard(++heard),
        () => undefined,
      );
    const results = await Promise.all(pieces);
    stream.close();
    return results;
  }

  it("a file of sixty pieces gives the words of the undisturbed run, whatever dies meanwhile", async () => {
    const undisturbed = await hearFile("undisturbed");
    expect(undisturbed.flatMap((piece) => (piece.task === "listen" ? piece.words : [])).length).toBeGreaterThan(
      PIECES / 2,
    );
    const victims = [
      { at: 1, name: "worker-1" },
      { at: 12, name: "nats" },
      { at: 30, name: "scheduler-1" },
    ];
    const kills: Promise<void>[] = [];
    const disturbed = await hearFile("disturbed", (heard) => {
      for (const { at, name } of victims) if (heard === at) kills.push(killAndAwait(name));
    });
    await Promise.all(kills);
    expect(kills.length).toBe(victims.length);
    expect(disturbed).toEqual(undisturbed);
    expect(ear.sound.activePieces).toBe(0);
  }, 60_000);

  async function listen(sessionId: string, onStarted: () => void = () => undefined): Promise<SessionEvent[]> {
    const events: SessionEvent[] = [];
    const session = new ListeningSession({
      sound: ear.sound,
      sessionId,
      recognizer,
      detector,
      language: "en",
      traceparent: null,
      commit: { by: "endpoint" },
      partials: true,
      onEvent: (event) => {
        events.push(event);
        if (event.type === "speech-started") onStarted();
      },
    });
    // A microphone at eight times the pace of speech.
    const portion = 0.2 * LISTENING_RATE;
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
