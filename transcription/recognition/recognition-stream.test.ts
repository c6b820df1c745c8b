import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ownerVerdictSubject, type Verdict } from "#protocol/bus/scheduling";
import { ServiceError } from "#protocol/errors";
import { RECOGNITION_RATE, MAX_AUDIO_SECONDS } from "#protocol/transcription/chunk";
import { LocalBus } from "#common/bus/testing/local-bus";
import { VirtualClock } from "#common/clock";
import { SubmissionClient } from "#submission/submission-client";
import type { RecognitionOutput, RecognitionStream, RecognitionStreamSettings } from "./recognition-client.js";
import { openRecognitionClient } from "./open-client.js";
import { expectedWords, pass, ScriptedRecognizers, type RecognitionFault } from "../testing/scripted-recognizers.js";

const settings: RecognitionStreamSettings = {
  streamId: "s1",
  task: "transcribe",
  model: "asr",
  tier: "bulk",
  language: null,
  traceparent: null,
};

function bench(faultOf: (chunkIndex: number, attempt: number) => RecognitionFault | null = () => null) {
  const bus = new LocalBus();
  const clock = new VirtualClock();
  const recognition = openRecognitionClient(new SubmissionClient({ bus, clock, ownerId: "edge-1" }));
  const recognizers = new ScriptedRecognizers({ bus, clock, faultOf });
  return { bus, clock, recognition, recognizers };
}

const pieces = [1, 2, 3, 4, 5].map((seed) =>
  Int16Array.from({ length: 1600 * seed }, (_, at) => (at * seed * 31) % 2000),
);
const undisturbed: RecognitionOutput[] = pieces.map((samples) => ({
  task: "transcribe",
  words: expectedWords(samples),
  language: "en",
}));

function recognizeAll(stream: RecognitionStream, slackMs = 60_000): Promise<PromiseSettledResult<RecognitionOutput>[]> {
  return Promise.allSettled(pieces.map((samples) => stream.recognize(samples, { slackMs })));
}

const codesOf = (results: PromiseSettledResult<RecognitionOutput>[]): string[] =>
  results.map((result) => {
    if (result.status === "fulfilled") return "recognized";
    return result.reason instanceof ServiceError ? result.reason.code : String((result.reason as Error).name);
  });

describe("a stream of sound", () => {
  it("hears pieces that are out at once, spread over all schedulers, and gives each its own words", async () => {
    const { clock, recognition, recognizers } = bench();
    const recognized = recognizeAll(recognition.open(settings));
    await pass(clock, 200);
    expect(await recognized).toEqual(undisturbed.map((value) => ({ status: "fulfilled", value })));
    expect(new Set(recognizers.submits.map(({ schedulerId }) => schedulerId)).size).toBe(2);
    expect(recognizers.submits.map(({ submit }) => [submit.tier, submit.slackMs])).toEqual(
      pieces.map(() => ["bulk", 60_000]),
    );
    expect(recognition.activePieces).toBe(0);
  });

  it("detects speech where it is asked to, by a model of that task", async () => {
    const { clock, recognition } = bench();
    await pass(clock, 20);
    expect(recognition.served("vad").map(({ name }) => name)).toEqual(["vad"]);
    const samples = new Int16Array(RECOGNITION_RATE).fill(3000, 8000);
    const recognized = recognition.open({ ...settings, task: "vad", model: "vad" }).recognize(samples, { slackMs: 0 });
    await pass(clock, 200);
    expect(await recognized).toEqual({ task: "vad", speech: new Uint8Array(100).fill(255, 50) });
  });

  it("keeps back what would fill the schedulers' queues", async () => {
    const { clock, recognition, recognizers } = bench((_, attempt) =>
      attempt === 1 ? { kind: "late", delayMs: 1000 } : null,
    );
    const stream = recognition.open(settings);
    await pass(clock, 20);
    const recognized = Array.from({ length: 200 }, (_, at) =>
      stream.recognize(new Int16Array(160).fill(at), { slackMs: 0 }),
    );
    expect(recognizers.submits.length).toBe(32);
    await pass(clock, 8000);
    expect((await Promise.all(recognized)).length).toBe(200);
  });

  it("cancels everywhere what is aborted, and only that", async () => {
    const { clock, recognition, recognizers } = bench((chunkIndex) =>
      chunkIndex === 1 ? { kind: "late", delayMs: 500 } : null,
    );
    await pass(clock, 20);
    const stream = recognition.open(settings);
    const abort = new AbortController();
    const first = stream.recognize(new Int16Array(160), { slackMs: 0 });
    const second = stream.recognize(new Int16Array(160), { slackMs: 0, signal: abort.signal });
    abort.abort(new RangeError("changed my mind"));
    await expect(second).rejects.toThrow("changed my mind");
    await pass(clock, 1000);
    expect(await first).toMatchObject({ task: "transcribe" });
    expect(recognizers.cancels).toMatchObject([{ streamId: "s1", fromChunk: 1, toChunk: 1 }]);
    expect(recognizers.goneAnswers).toEqual(["s1/1"]);
    await expect(
      stream.recognize(new Int16Array(160), { slackMs: 0, signal: AbortSignal.abort(new RangeError("before")) }),
    ).rejects.toThrow("before");
  });

  it("ends all of it when it is closed, and takes no more", async () => {
    const { clock, recognition, recognizers } = bench(() => ({ kind: "late", delayMs: 500 }));
    await pass(clock, 20);
    const stream = recognition.open(settings);
    const recognized = recognizeAll(stream);
    stream.close();
    expect(new Set(codesOf(await recognized))).toEqual(new Set(["AbortError"]));
    expect(new Set(recognizers.cancels.map((cancel) => cancel.schedulerId)).size).toBe(2);
    await expect(stream.recognize(new Int16Array(160), { slackMs: 0 })).rejects.toThrow("closed");
    await pass(clock, 1000);
    expect(recognizers.goneAnswers.length).toBe(pieces.length);
    expect(recognition.activePieces).toBe(0);
  });

  it("refuses pieces that no message could carry", async () => {
    const stream = bench().recognition.open(settings);
    await expect(stream.recognize(new Int16Array(0), { slackMs: 0 })).rejects.toThrow(RangeError);
    await expect(
      stream.recognize(new Int16Array(MAX_AUDIO_SECONDS * RECOGNITION_RATE + 1), { slackMs: 0 }),
    ).rejects.toThrow(RangeError);
  });
});

describe("pieces whose attempts are lost", () => {
  it("end with transcription_failed after three of them, each for itself", async () => {
    for (const kind of ["lost", "failed"] as const) {
      const { clock, recognition, recognizers } = bench((chunkIndex) => (chunkIndex === 1 ? { kind } : null));
      const recognized = recognizeAll(recognition.open(settings));
      await pass(clock, 1000);
      expect(codesOf(await recognized)).toEqual([
        "recognized",
        "transcription_failed",
        "recognized",
        "recognized",
        "recognized",
      ]);
      expect(
        recognizers.submits
          .filter(({ submit }) => submit.chunk.chunkIndex === 1)
          .map(({ submit }) => submit.chunk.attempt),
      ).toEqual([1, 2, 3]);
    }
  });

  it("are submitted elsewhere at once when a live listener's scheduler is silent", async () => {
    const { clock, recognition, recognizers } = bench((_, attempt) => (attempt < 3 ? { kind: "silent" } : null));
    const recognized = recognition.open({ ...settings, tier: "live" }).recognize(new Int16Array(160), { slackMs: 300 });
    await pass(clock, 60_000, 100);
    expect(await recognized).toMatchObject({ task: "transcribe" });
    const [first, second] = recognizers.submits;
    expect(second?.schedulerId).not.toBe(first?.schedulerId);
    expect(recognizers.submits.map(({ submit }) => submit.chunk.attempt)).toEqual([1, 2, 3]);
  });

  it("stand in line for minutes when they are recordings: silence is asked about before it counts", async () => {
    const patient = bench((_, attempt) => (attempt === 1 ? { kind: "late", delayMs: 200_000 } : null));
    const recognized = patient.recognition.open(settings).recognize(new Int16Array(160), { slackMs: 1000 });
    await pass(patient.clock, 210_000, 500);
    expect(await recognized).toMatchObject({ task: "transcribe" });
    expect(new Set(patient.recognizers.submits.map(({ submit }) => submit.chunk.attempt))).toEqual(new Set([1, 2]));

    const silent = bench(() => ({ kind: "silent" }));
    const lost = recognizeAll(silent.recognition.open(settings));
    await pass(silent.clock, 2_000_000, 5000);
    expect(new Set(codesOf(await lost))).toEqual(new Set(["transcription_failed"]));
  });

  it("give the refusal itself when the first is refused, for the whole stream", async () => {
    const { clock, recognition, recognizers } = bench((chunkIndex) =>
      chunkIndex === 0 ? { kind: "refused" } : { kind: "late", delayMs: 500 },
    );
    const stream = recognition.open(settings);
    const recognized = recognizeAll(stream);
    await pass(clock, 1000);
    expect(new Set(codesOf(await recognized))).toEqual(new Set(["overloaded"]));
    await expect(stream.recognize(new Int16Array(160), { slackMs: 0 })).rejects.toMatchObject({
      code: "overloaded",
      retryAfterMs: 700,
    });
    expect(recognizers.cancels.length).toBeGreaterThan(0);
  });

  it("are offered again when one in the middle is refused, and given up after a while", async () => {
    const recovering = bench((chunkIndex, attempt) => (chunkIndex === 2 && attempt < 8 ? { kind: "refused" } : null));
    const recognized = recognizeAll(recovering.recognition.open(settings));
    await pass(recovering.clock, 30_000, 100);
    expect(new Set(codesOf(await recognized))).toEqual(new Set(["recognized"]));

    const refused = bench((chunkIndex) => (chunkIndex === 2 ? { kind: "refused" } : null));
    const given = recognizeAll(refused.recognition.open(settings));
    await pass(refused.clock, 60_000, 100);
    expect(codesOf(await given)).toEqual(["recognized", "recognized", "overloaded", "recognized", "recognized"]);
  });

  it("end at once when no attempt can succeed", async () => {
    const { clock, recognition, recognizers } = bench((chunkIndex) => (chunkIndex === 3 ? { kind: "broken" } : null));
    const recognized = recognizeAll(recognition.open(settings));
    await pass(clock, 1000);
    expect(codesOf(await recognized)).toEqual([
      "recognized",
      "recognized",
      "recognized",
      "engine_failed",
      "recognized",
    ]);
    expect(recognizers.submits.length).toBe(pieces.length);
  });

  it("fail with no_worker when nobody serves the model, soon or after an outage", async () => {
    const { clock, recognition, recognizers } = bench((_, attempt) => (attempt === 1 ? { kind: "silent" } : null));
    const nobody = recognizeAll(recognition.open({ ...settings, streamId: "s2", model: "no such model" }));
    await pass(clock, 1300);
    expect(new Set(codesOf(await nobody))).toEqual(new Set(["no_worker"]));
    const stream = recognition.open({ ...settings, streamId: "s3", model: "no such model" });
    const many = Promise.allSettled(
      Array.from({ length: 100 }, () => stream.recognize(new Int16Array(160), { slackMs: 0 })),
    );
    await pass(clock, 1300);
    expect(codesOf(await many)).toEqual(new Array(100).fill("no_worker"));
    const outage = recognizeAll(recognition.open(settings));
    await pass(clock, 100);
    for (const id of ["scheduler-a", "scheduler-b"]) recognizers.kill(id, 100_000);
    await pass(clock, 30_000, 100);
    expect(new Set(codesOf(await outage))).toEqual(new Set(["no_worker"]));
  });

  it("do not count an outage that ended long ago", async () => {
    const { bus, clock, recognition, recognizers } = bench(() => ({ kind: "late", delayMs: 70_000 }));
    const recognized = recognizeAll(recognition.open(settings));
    for (const waitMs of [1000, 30_000, 30_000]) {
      await pass(clock, waitMs, 100);
      bus.disconnect();
      await pass(clock, 500);
      bus.reconnect();
    }
    await pass(clock, 80_000, 100);
    expect(new Set(codesOf(await recognized))).toEqual(new Set(["recognized"]));
    expect(Math.max(...recognizers.submits.map(({ submit }) => submit.chunk.attempt))).toBe(4);
  });

  it("ignore verdicts about attempts that are over", async () => {
    const { bus, clock, recognition, recognizers } = bench((_, attempt) =>
      attempt === 1 ? { kind: "lost" } : { kind: "late", delayMs: 300 },
    );
    const recognized = recognizeAll(recognition.open(settings));
    await pass(clock, 200);
    const stale: Verdict = { type: "lost", streamId: "s1", chunkIndex: 0, attempt: 1 };
    for (let times = 0; times < 5; times++) bus.publish(ownerVerdictSubject("edge-1"), stale);
    await pass(clock, 1000);
    expect(new Set(codesOf(await recognized))).toEqual(new Set(["recognized"]));
    expect(recognizers.submits.length).toBe(2 * pieces.length);
  });
});

describe("whatever the faults, up to two per piece", () => {
  const fault: fc.Arbitrary<RecognitionFault | null> = fc.oneof(
    fc.constant(null),
    fc.constantFrom<RecognitionFault>(
      ...(["lost", "failed", "silent", "duplicates", "scheduler-dies"] as const).map((kind) => ({ kind })),
    ),
    fc.record({ kind: fc.constant("bus-down" as const), forMs: fc.integer({ min: 1, max: 4000 }) }),
    fc.record({ kind: fc.constant("late" as const), delayMs: fc.integer({ min: 0, max: 15_000 }) }),
  );
  const schedule = fc.array(fc.tuple(fault, fault), { minLength: pieces.length, maxLength: pieces.length });

  it("every piece gives the undisturbed words, once", async () => {
    await fc.assert(
      fc.asyncProperty(schedule, fc.constantFrom("bulk" as const, "live" as const), async (faults, tier) => {
        const { clock, recognition } = bench((chunkIndex, attempt) => faults[chunkIndex]?.[attempt - 1] ?? null);
        const recognized = recognizeAll(recognition.open({ ...settings, tier }), 500);
        // A silent scheduler is asked about a recording eight times over.
        await pass(clock, tier === "live" ? 90_000 : 300_000, 250);
        expect(await recognized).toEqual(undisturbed.map((value) => ({ status: "fulfilled", value })));
      }),
      { numRuns: 15, seed: 7 },
    );
  });
});
