import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  DETECTION_STEP_MS,
  RECOGNITION_RATE,
  MAX_AUDIO_SECONDS,
  type RecognitionTask,
} from "#protocol/transcription/chunk";
import type { Recognizer, RecognitionResult } from "../recognizer.js";
import { recognizeOne, noise, silence, recognitionJob } from "./recognize.js";

export interface RecognizerConformanceOptions {
  task: RecognitionTask;
  load: () => Promise<Recognizer>;
  /** Two different pieces with speech, or what the engine takes for it, of at least a second. */
  speech: () => Promise<readonly [Int16Array, Int16Array]>;
}

const shortPieces = [1, 79, 80, 159, 160, 400, 799, 1600];

/** The contract of `Recognizer`, for every implementation. */
export function recognizerConformance(name: string, { task, load, speech }: RecognizerConformanceOptions): void {
  describe(`${name} keeps the contract of a recognizer`, () => {
    let engine: Recognizer;
    let one: Int16Array;
    let other: Int16Array;
    let recognizedInOne: RecognitionResult;
    let recognizedInOther: RecognitionResult;
    beforeAll(async () => {
      engine = await load();
      await engine.warmUp();
      [one, other] = await speech();
      if (Math.min(one.length, other.length) < RECOGNITION_RATE)
        throw new RangeError("the pieces with speech are shorter than a second");
      [recognizedInOne, recognizedInOther] = [await recognizeOne(engine, one), await recognizeOne(engine, other)];
    });
    afterAll(async () => await engine.close());

    const recognizeAll = async (pieces: readonly Int16Array[]): Promise<RecognitionResult[]> =>
      await engine.recognize(pieces.map((piece) => recognitionJob(task, piece)));

    it("says what it is", () => {
      expect(engine.describe()).toMatchObject({ task, sampleRate: RECOGNITION_RATE, speakers: [] });
      expect(engine.describe().maxBatch).toBeGreaterThanOrEqual(1);
    });

    it("finds something in speech, and not the same in other speech", () => {
      for (const [result, samples] of [
        [recognizedInOne, one],
        [recognizedInOther, other],
      ] as const) {
        expectAudio(result, samples);
        expect(isEmpty(result)).toBe(false);
      }
      expect(recognizedInOne).not.toEqual(recognizedInOther);
    });

    it("gives equal results for equal samples: repeated, after other audio, from a window on a larger buffer", async () => {
      for (const before of [one, other, silence(1), new Int16Array(1), noise(1, 3000, 0)]) {
        await recognizeOne(engine, before);
        expect(await recognizeOne(engine, one)).toEqual(recognizedInOne);
      }
      const larger = new Int16Array(one.length + 500).fill(12_345);
      larger.set(one, 123);
      expect(await recognizeOne(engine, larger.subarray(123, 123 + one.length))).toEqual(recognizedInOne);
      expect(larger.subarray(0, 123).every((sample) => sample === 12_345)).toBe(true);
    });

    it("leaves the samples as they are", async () => {
      const samples = other.slice();
      await recognizeOne(engine, samples);
      expect(samples).toEqual(other);
    });

    it("gives equal results in a second instance", async () => {
      const second = await load();
      try {
        await second.warmUp();
        expect(await recognizeOne(second, other)).toEqual(recognizedInOther);
        expect(await recognizeOne(second, one)).toEqual(recognizedInOne);
      } finally {
        await second.close();
      }
    });

    it("gives in a batch, in its order, what it gives alone", async () => {
      const results = await recognizeAll([other, silence(0.5), one, new Int16Array(7), other]);
      expect(results.map(({ result }) => result)).toEqual(new Array(5).fill(recognizedInOne.result));
      expect([results[0], results[2], results[4]]).toEqual([recognizedInOther, recognizedInOne, recognizedInOther]);
      expect(results[1]).toEqual(await recognizeOne(engine, silence(0.5)));
    });

    it("hears several batches at once without mixing them up", async () => {
      const results = await Promise.all([one, other, one, other].map((samples) => recognizeOne(engine, samples)));
      expect(results).toEqual([recognizedInOne, recognizedInOther, recognizedInOne, recognizedInOther]);
    });

    it("takes an empty batch", async () => {
      expect(await engine.recognize([])).toEqual([]);
    });

    it("leaves a cancelled piece and hears the others of its batch", async () => {
      const signal = AbortSignal.abort();
      const results = await engine.recognize([recognitionJob(task, one, { signal }), recognitionJob(task, other)]);
      expect(results).toEqual([{ result: "cancelled" }, recognizedInOther]);
    });

    it("ends when it is cancelled on the way, and goes on hearing", async () => {
      const controller = new AbortController();
      const long = repeated(one, MAX_AUDIO_SECONDS);
      const recognizing = engine.recognize([recognitionJob(task, long, { signal: controller.signal })]);
      controller.abort();
      expect(await recognizing).toEqual([{ result: "cancelled" }]);
      expect(await recognizeOne(engine, one)).toEqual(recognizedInOne);
    });

    it.each(shortPieces)("takes a piece of %i samples", async (count) => {
      for (const samples of [
        new Int16Array(count),
        one.slice(8000, 8000 + count),
        new Int16Array(count).fill(-32_768),
      ]) {
        expectAudio(await recognizeOne(engine, samples), samples);
      }
    });

    it.each([
      ["silence", silence(2)],
      ["white noise", noise(3, 2000, 0)],
      ["faint noise", noise(3, 3, 0)],
      ["loud low noise", noise(3, 8000, 0.98)],
    ])("finds nothing in %s", async (_what, samples) => {
      const result = await recognizeOne(engine, samples);
      expectAudio(result, samples);
      expect(isEmpty(result)).toBe(true);
    });

    it.each([
      ["a constant", silence(1).fill(30_000)],
      ["full scale", Int16Array.from({ length: 16_000 }, (_, i) => (i % 80 < 40 ? 32_767 : -32_768))],
      ["a click", silence(1).fill(32_767, 8000, 8002)],
      ["overdriven noise", noise(1, 40_000, 0)],
    ])("comes through %s", async (_what, samples) => {
      expectAudio(await recognizeOne(engine, samples), samples);
    });

    it("hears the longest piece, times in order and inside", async () => {
      const long = repeated(one, MAX_AUDIO_SECONDS);
      const result = await recognizeOne(engine, long);
      expectAudio(result, long);
      expect(isEmpty(result)).toBe(false);
    });
  });
}

/** A result of the right kind, finite, in order and inside the audio. */
function expectAudio(result: RecognitionResult, samples: Int16Array): void {
  const lengthMs = (samples.length * 1000) / RECOGNITION_RATE;
  if (result.result === "vad") {
    expect(Math.abs(result.speech.length - lengthMs / DETECTION_STEP_MS)).toBeLessThanOrEqual(1);
    return;
  }
  if (result.result !== "recognized") expect.fail(`${result.result}: ${"error" in result ? String(result.error) : ""}`);
  let lastMs = 0;
  for (const { text, startMs, endMs, confidence } of result.words) {
    expect(text).toMatch(/\S/);
    expect(startMs).toBeGreaterThanOrEqual(lastMs);
    expect(endMs).toBeGreaterThanOrEqual(startMs);
    expect(endMs).toBeLessThanOrEqual(lengthMs);
    expect(confidence).toBeGreaterThanOrEqual(0);
    expect(confidence).toBeLessThanOrEqual(1);
    lastMs = endMs;
  }
}

function isEmpty(result: RecognitionResult): boolean {
  if (result.result === "vad") return result.speech.every((value) => value < 128);
  return result.result === "recognized" && result.words.length === 0;
}

function repeated(samples: Int16Array, seconds: number): Int16Array {
  const long = new Int16Array(seconds * RECOGNITION_RATE);
  for (let at = 0; at < long.length; at += samples.length)
    long.set(samples.subarray(0, Math.min(samples.length, long.length - at)), at);
  return long;
}
