import { describe, expect, it } from "vitest";
import { type Batch, type BatchDone, schedulerDoneSubject } from "#protocol/bus/scheduling";
import {
  type OwnerRecognitionInbound,
  ownerRecognitionSubject,
  ownerAudioRequestSubject,
  type AudioReply,
  type AudioRequest,
} from "#protocol/bus/recognition";
import { RECOGNITION_RATE, type AudioChunk } from "#protocol/transcription/chunk";
import { LocalBus } from "#common/bus/testing/local-bus";
import { VirtualClock } from "#common/clock";
import { createLogger } from "#common/log";
import type { Recognizer, RecognitionJob, RecognitionResult } from "../engines/recognizer.js";
import type { BatchContext } from "./batch-context.js";
import { parseInbound } from "./inbound.js";
import { runBatch } from "./run-batch.js";
import { RunningChunks } from "./running.js";
import type { WorkerTelemetry } from "../telemetry/worker-telemetry.js";

const noTelemetry: WorkerTelemetry = { chunkDone: () => undefined, audioDone: () => undefined };

const SAMPLES = 1600;

function chunk(chunkIndex: number, change: Partial<AudioChunk> = {}): AudioChunk {
  return {
    task: "transcribe",
    streamId: "s1",
    chunkIndex,
    attempt: 1,
    ownerId: "edge-1",
    model: "asr",
    samples: SAMPLES,
    language: null,
    traceparent: null,
    ...change,
  };
}

/** One word per piece, that tells the piece's first sample. */
const firstSample = (job: RecognitionJob): RecognitionResult => ({
  result: "recognized",
  language: "en",
  words: [{ text: `w${job.samples[0]}`, startMs: 0, endMs: 100, confidence: 0.5 }],
});

function bench(
  recognize: (jobs: RecognitionJob[]) => Promise<RecognitionResult[]> = async (jobs) => jobs.map(firstSample),
) {
  const bus = new LocalBus();
  const clock = new VirtualClock();
  const recognized: OwnerRecognitionInbound[] = [];
  const done: BatchDone[] = [];
  const batches: RecognitionJob[][] = [];
  bus.subscribe<OwnerRecognitionInbound>(ownerRecognitionSubject("edge-1"), (message) => recognized.push(message));
  bus.subscribe<BatchDone>(schedulerDoneSubject("scheduler-1"), (message) => done.push(message));
  const owner = (answer: (question: AudioRequest) => Promise<AudioReply>): void =>
    void bus.respond(ownerAudioRequestSubject("edge-1"), answer);
  owner(async ({ chunkIndex }) => ({
    type: "audio",
    pcm: new Uint8Array(new Int16Array(SAMPLES).fill(chunkIndex + 10).buffer),
  }));
  const engine: Recognizer = {
    describe: () => ({
      name: "asr",
      task: "transcribe",
      languages: ["en"],
      sampleRate: RECOGNITION_RATE,
      speakers: [],
      maxBatch: 8,
      provider: "cpu",
    }),
    warmUp: async () => undefined,
    recognize: (jobs) => {
      batches.push(jobs);
      return recognize(jobs);
    },
    close: async () => undefined,
  };
  const running = new RunningChunks();
  const context: BatchContext = {
    bus,
    clock,
    running,
    log: createLogger("test", "silent"),
    workerId: "worker-1",
    epoch: "e",
    telemetry: noTelemetry,
    speakerOf: () => undefined,
    recognizerOf: (model) => (model === "asr" ? engine : undefined),
  };
  const run = (...chunks: AudioChunk[]): Promise<void> => {
    const batch: Batch = {
      type: "batch",
      batchId: "b1",
      schedulerId: "scheduler-1",
      model: chunks[0]?.model ?? "",
      chunks: chunks.map((one) => ({ chunk: one, queuedUs: 7 })),
    };
    const parsed = parseInbound(batch);
    if (!parsed.ok || parsed.message.type !== "batch") throw new RangeError("not a batch");
    return runBatch(parsed.message, context);
  };
  return { owner, recognized, done, batches, running, run };
}

const outcomesOf = (done: BatchDone[]): string[] =>
  done.flatMap(({ outcomes }) => outcomes.map((one) => `${one.chunkIndex} ${one.result} ${one.samples}`));

describe("a worker that hears", () => {
  it("fetches the samples of a batch from their owners, and answers owners and scheduler", async () => {
    const { run, recognized, done, batches, running } = bench();
    await run(chunk(0), chunk(1, { attempt: 2 }));
    expect(batches.map((jobs) => jobs.map((job) => job.samples.length))).toEqual([[SAMPLES, SAMPLES]]);
    expect(recognized).toMatchObject([
      {
        type: "recognized",
        streamId: "s1",
        chunkIndex: 0,
        attempt: 1,
        workerId: "worker-1",
        language: "en",
        words: [{ text: "w10" }],
        timing: { queuedUs: 7 },
      },
      { type: "recognized", chunkIndex: 1, attempt: 2, words: [{ text: "w11" }] },
    ]);
    expect(done).toMatchObject([{ batchId: "b1", model: "asr", workerId: "worker-1", epoch: "e" }]);
    expect(done[0]?.outcomes[0]).toMatchObject({
      streamId: "s1",
      chunkIndex: 0,
      attempt: 1,
      result: "recognized",
      size: 10,
      samples: SAMPLES,
    });
    expect(running.size).toBe(0);
  });

  it("gives what a detector says", async () => {
    const { run, recognized, done } = bench(async (jobs) =>
      jobs.map(() => ({ result: "vad", speech: new Uint8Array([0, 255]) })),
    );
    await run(chunk(0, { task: "vad" }));
    expect(recognized).toMatchObject([{ type: "vad", chunkIndex: 0, speech: new Uint8Array([0, 255]) }]);
    expect(outcomesOf(done)).toEqual([`0 recognized ${SAMPLES}`]);
  });

  it("leaves out what nobody waits for any more, and hears the rest", async () => {
    const { run, recognized, done, owner, batches } = bench();
    owner(async ({ chunkIndex }) =>
      chunkIndex === 0 ? { type: "gone" } : { type: "audio", pcm: new Uint8Array(SAMPLES * 2) },
    );
    await run(chunk(0), chunk(1));
    expect(outcomesOf(done)).toEqual(["0 cancelled 0", `1 recognized ${SAMPLES}`]);
    expect(recognized.map((message) => message.chunkIndex)).toEqual([1]);
    expect(batches[0]?.length).toBe(1);
  });

  it("stops waiting for samples when a piece, its stream or its owner is cancelled", async () => {
    for (const cancel of [
      (running: RunningChunks) => running.cancel({ type: "cancel", streamId: "s1", fromChunk: 0, toChunk: 0 }),
      (running: RunningChunks) => running.cancel({ type: "cancel", streamId: "s1", fromChunk: 0 }),
      (running: RunningChunks) => running.cancelEdge("edge-1"),
    ]) {
      const { run, done, owner, running, batches } = bench();
      owner(() => new Promise(() => undefined));
      const ran = run(chunk(0));
      cancel(running);
      await ran;
      expect(outcomesOf(done)).toEqual(["0 cancelled 0"]);
      expect(batches).toEqual([]);
    }
  });

  it("cancels a piece in its engine, and no other", async () => {
    const { run, done, running } = bench(async (jobs) => {
      running.cancel({ type: "cancel", streamId: "s1", fromChunk: 1, toChunk: 1 });
      return jobs.map((job) => (job.signal.aborted ? { result: "cancelled" } : firstSample(job)));
    });
    await run(chunk(0), chunk(1), chunk(2));
    expect(outcomesOf(done)).toEqual([`0 recognized ${SAMPLES}`, "1 cancelled 0", `2 recognized ${SAMPLES}`]);
  });

  it("says what failed and whether another try is worth it", async () => {
    const silent = bench();
    silent.owner(() => Promise.reject(new RangeError("no answer")));
    await silent.run(chunk(0));
    expect(silent.recognized).toMatchObject([{ type: "failed", chunkIndex: 0, retryable: true }]);

    const wrongLength = bench();
    wrongLength.owner(async () => ({ type: "audio", pcm: new Uint8Array(10) }));
    await wrongLength.run(chunk(0));
    expect(wrongLength.recognized).toMatchObject([{ type: "failed", retryable: false, error: { code: "internal" } }]);

    const noModel = bench();
    await noModel.run(chunk(0, { model: "other" }));
    expect(noModel.recognized).toMatchObject([{ type: "failed", retryable: true, error: { code: "no_worker" } }]);

    for (const recognize of [() => Promise.reject(new RangeError("engine bug")), async () => []]) {
      const broken = bench(recognize);
      await broken.run(chunk(0));
      expect(broken.recognized).toMatchObject([{ type: "failed", retryable: true, error: { code: "engine_failed" } }]);
      expect(outcomesOf(broken.done)).toEqual(["0 failed 0"]);
    }
  });

  it("refuses what is no piece of sound", () => {
    const batch = (change: object) => ({
      type: "batch",
      batchId: "b",
      schedulerId: "s",
      model: "asr",
      chunks: [{ chunk: { ...chunk(0), ...change }, queuedUs: 0 }],
    });
    expect(parseInbound(batch({})).ok).toBe(true);
    for (const change of [
      { samples: 0 },
      { samples: 480_001 },
      { samples: 1.5 },
      { task: "sing" },
      { ownerId: "a.b" },
      { language: 7 },
      { task: "speak" },
    ]) {
      expect([change, parseInbound(batch(change)).ok]).toEqual([change, false]);
    }
  });
});
