import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ServiceError } from "#protocol/errors";
import { RECOGNITION_RATE } from "#protocol/transcription/chunk";
import {
  ScriptedRecognition,
  type ScriptedRecognitionOptions,
  type ScriptedWord,
  audioOfWords,
} from "../testing/scripted-client.js";
import { mergeWords } from "../transcript.js";
import { Transcriber } from "./transcriber.js";

const SECONDS = RECOGNITION_RATE;
const settings = { streamId: "s", model: "m", tier: "bulk", language: null, traceparent: null } as const;

async function* cutInto(samples: Int16Array, lengths: readonly number[]): AsyncGenerator<Int16Array> {
  for (let at = 0, i = 0; at < samples.length; i++) {
    const length = lengths[i % lengths.length] as number;
    yield samples.slice(at, at + length);
    at += length;
  }
}

async function transcribe(
  samples: Int16Array,
  options: ScriptedRecognitionOptions & { lengths?: readonly number[]; detector?: boolean } = {},
) {
  const recognition = new ScriptedRecognition(options);
  const detector = options.detector === false ? null : recognition.open({ ...settings, task: "vad" });
  const transcriber = new Transcriber({
    recognition: recognition.open({ ...settings, task: "transcribe" }),
    detector,
    signal: new AbortController().signal,
  });
  const { recognized, language } = await transcriber.run(cutInto(samples, options.lengths ?? [10 * SECONDS]));
  return { words: mergeWords(recognized), language, recognition, recognizedSeconds: transcriber.recognizedSeconds };
}

/** Words of up to two seconds between pauses of up to eight, where a recording may be cut. */
const spoken = fc.array(
  fc.record({
    pauseSteps: fc.integer({ min: 40, max: 800 }),
    steps: fc.integer({ min: 5, max: 200 }),
    loudness: fc.integer({ min: 2000, max: 30_000 }),
  }),
  { minLength: 1, maxLength: 60 },
);

describe("a transcription", () => {
  it("gives every word once, in order and at its time, however the sound comes in and whoever answers first", async () => {
    await fc.assert(
      fc.asyncProperty(
        spoken,
        fc.integer({ min: 0, max: 3000 }),
        fc.array(fc.integer({ min: 100, max: 130 * SECONDS }), { minLength: 1, maxLength: 5 }),
        fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 7 }),
        fc.boolean(),
        async (words, endSteps, lengths, turns, detector) => {
          const { samples, truth } = audioOfWords(words, endSteps);
          const result = await transcribe(samples, {
            lengths,
            detector,
            turnsOf: (piece) => turns[piece % turns.length] as number,
          });
          expect(result.words).toEqual(truth);
          expect(result.recognition.mostOut).toBeLessThanOrEqual(190 * SECONDS);
        },
      ),
      { numRuns: 25, seed: 7 },
    );
  });

  it("loses and repeats nothing where nobody pauses for minutes, in pieces of thirty seconds at most", async () => {
    const words: ScriptedWord[] = Array.from({ length: 300 }, (_, index) => ({
      pauseSteps: 0,
      steps: 50,
      loudness: 2000 + index * 10,
    }));
    const { samples, truth } = audioOfWords(words, 0);
    for (const detector of [true, false]) {
      const { words: recognized, recognition, recognizedSeconds } = await transcribe(samples, { detector });
      expect(Math.max(...recognition.lengths.map((piece) => piece.samples))).toBeLessThanOrEqual(30 * SECONDS);
      expect(recognizedSeconds).toBe(150);
      // A word that is cut in two is recognized twice, its halves side by side.
      const whole = recognized.filter((word, i) => recognized[i - 1]?.text !== word.text);
      expect(whole.map(({ text, startMs }) => [text, startMs])).toEqual(
        truth.map(({ text, startMs }) => [text, startMs]),
      );
      expect(recognized.slice(1).every((word, i) => word.startMs === recognized[i]?.endMs)).toBe(true);
    }
  });

  it("cuts the same way however the sound comes in", async () => {
    const words = Array.from({ length: 200 }, (_, index) => ({
      pauseSteps: 31 + (index % 7) * 11,
      steps: 90,
      loudness: 2000 + index,
    }));
    const { samples } = audioOfWords(words, 500);
    const pieces = async (lengths: number[]) =>
      (await transcribe(samples, { lengths })).recognition.lengths.filter(({ task }) => task === "transcribe");
    expect(await pieces([777])).toEqual(await pieces([120 * SECONDS]));
  });

  it("asks nobody for words where nobody speaks", async () => {
    const { words, language, recognition } = await transcribe(new Int16Array(200 * SECONDS), {});
    expect({ words, language }).toEqual({ words: [], language: null });
    expect(recognition.lengths.every(({ task }) => task === "vad")).toBe(true);
    expect((await transcribe(new Int16Array(200 * SECONDS), { detector: false })).recognition.lengths).toEqual([]);
  });

  it("ends with the first failure of the detector, the recognizer and the decoder", async () => {
    const { samples } = audioOfWords(
      Array.from({ length: 100 }, () => ({ pauseSteps: 50, steps: 150, loudness: 3000 })),
      0,
    );
    for (const task of ["vad", "transcribe"] as const) {
      const failing = transcribe(samples, {
        turnsOf: () => 3,
        failureOf: (asked, piece) => (asked === task && piece === 2 ? new ServiceError("transcription_failed") : null),
      });
      await expect(failing).rejects.toMatchObject({ code: "transcription_failed" });
    }
    const transcriber = new Transcriber({
      recognition: new ScriptedRecognition().open({ ...settings, task: "transcribe" }),
      detector: null,
      signal: new AbortController().signal,
    });
    async function* broken(): AsyncGenerator<Int16Array> {
      yield samples.slice(0, SECONDS);
      throw new ServiceError("unsupported_format");
    }
    await expect(transcriber.run(broken())).rejects.toMatchObject({ code: "unsupported_format" });
  });
});
