import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SpeechChunk } from "#protocol/speech/chunk";
import { speakOne, type Spoken, testChunk } from "../testing/speak.js";
import { spectralDistanceDb } from "../testing/spectral-distance.js";
import type { ChunkResult } from "../engine.js";
import type { OnnxEngine } from "./engine.js";
import { EmbeddedVoice } from "./testing/embedded-voice.js";

const texts = [
  "Good morning to you.",
  "She sold the old house by the river, and nobody knows why.",
  "Is it really raining?",
  "My grandmother told me a story about a fisherman who caught a golden fish, and let it go again.",
];

describe("the first chunk of a stream, spoken in windows", () => {
  const voice = new EmbeddedVoice();
  let engine: OnnxEngine;
  let inOneCall: OnnxEngine;
  beforeAll(async () => {
    [engine, inOneCall] = await Promise.all([
      voice.load(),
      voice.loadChanged((manifest) => manifest.replace(/^ {2}(?:en|de)coder:.*\n/gm, "")),
    ]);
  });
  afterAll(() => voice.close());

  const speakTimed = async (
    chunk: SpeechChunk,
    onEmit: (samples: Int16Array, words: number) => void,
    signal = new AbortController().signal,
  ): Promise<ChunkResult | undefined> => {
    const [result] = await engine.speak([
      { chunk, signal, emit: ({ samples, words }) => onEmit(samples, words.length) },
    ]);
    return result;
  };

  /** How loud the difference is against the expected audio, dB; the lengths must be equal. */
  const differenceDb = (expected: Spoken, got: Spoken): number => {
    expect(got.samples.length).toBe(expected.samples.length);
    const power = expected.samples.reduce((sum, value) => sum + value ** 2, 0);
    const error = expected.samples.reduce((sum, value, i) => sum + (value - (got.samples[i] ?? 0)) ** 2, 0);
    return 10 * Math.log10(Math.max(error, 1e-9) / power);
  };

  it("emits a tenth of a second before the rest, with the words of all of it but the last", async () => {
    for (const text of texts) {
      const lengths: number[] = [];
      const words: number[] = [];
      await speakTimed(testChunk(text), (samples, count) => {
        lengths.push(samples.length);
        words.push(count);
      });
      expect(words[0], text).toBe(text.split(" ").length - 1);
      const [firstMs = 0] = lengths.map((length) => (length / 22_050) * 1000);
      expect(firstMs, text).toBeGreaterThan(80);
      expect(firstMs, text).toBeLessThan(130);
      expect(lengths[1], text).toBeGreaterThan(10_000);
    }
  });

  it("emits another half a second before the rest of what lasts three seconds", async () => {
    for (const [text, parts] of [
      [texts[0] as string, 2],
      [`${texts[1] as string} It was built a hundred years ago.`, 3],
    ] as const) {
      const lengths: number[] = [];
      await speakTimed(testChunk(text), (samples) => lengths.push(samples.length));
      const [, secondMs = 0] = lengths.map((length) => (length / 22_050) * 1000);
      const total = lengths.reduce((sum, length) => sum + length, 0);
      expect(total > 3 * 22_050, text).toBe(parts === 3);
      // The pause after the chunk may come by itself.
      expect(lengths.filter((length) => length > 0).length, text).toBe(parts);
      if (parts === 3) expect(Math.round(secondMs), text).toBe(511);
    }
  });

  /** The same chunk as a later one of its stream, which is spoken in one call. */
  const inOneWindow = async (chunk: SpeechChunk): Promise<Spoken> =>
    await speakOne(engine, { ...chunk, chunkIndex: 1 });

  it("gives what one window gives: within -60 dB, equally long, with the same words", async () => {
    for (const text of texts) {
      for (const change of [
        {},
        { voice: { speaker: "rms", speed: 1.3 }, delivery: { pitchSemitones: 3, gainDb: 4 } },
        { sampling: { temperature: 1, topP: 1 }, pauseAfterMs: 120, seed: 7 },
        { maxSamples: 9000 },
      ]) {
        const chunk = testChunk(text, change);
        const [expected, got] = [await inOneWindow(chunk), await speakOne(engine, chunk)];
        expect(differenceDb(expected, got)).toBeLessThan(-60);
        expect(got.words).toEqual(expected.words);
        expect(got.result).toEqual(expected.result);
      }
    }
  });

  it("gives a further attempt the same samples, wherever it is spoken", async () => {
    for (const text of texts) {
      const first = await speakOne(engine, testChunk(text));
      const again = await speakOne(engine, testChunk(text, { attempt: 2 }));
      expect(Buffer.from(again.samples.buffer).equals(Buffer.from(first.samples.buffer))).toBe(true);
    }
  });

  it("ends between the windows when it is cancelled there", async () => {
    const controller = new AbortController();
    const lengths: number[] = [];
    const result = await speakTimed(
      testChunk(texts[1] as string),
      (samples) => {
        lengths.push(samples.length);
        controller.abort();
      },
      controller.signal,
    );
    expect(result).toEqual({ result: "cancelled" });
    expect(lengths).toHaveLength(1);
  });

  it("sounds as the whole graph does, by words, spectrum and length but for the silence at its start", async () => {
    for (const text of texts) {
      for (const change of [
        {},
        { voice: { speaker: "kathleen", speed: 1.3 } },
        { chunkIndex: 1, delivery: { whisper: true } },
      ]) {
        const chunk = testChunk(text, change);
        const [expected, got] = [await speakOne(inOneCall, chunk), await speakOne(engine, chunk)];
        const lengths = [expected, got].map(({ samples }) => samples.length) as [number, number];
        expect(Math.abs(lengths[0] - lengths[1])).toBeLessThan(0.025 * 22_050);
        expect(got.words.map(({ text }) => text)).toEqual(expected.words.map(({ text }) => text));
        expect(spectralDistanceDb(expected.samples, got.samples), text).toBeLessThan(2);
      }
    }
  });

  it("speaks later chunks, whispers and what is hardly longer than a window in one call", async () => {
    for (const chunk of [
      testChunk(texts[1] as string, { chunkIndex: 1 }),
      testChunk(texts[1] as string, { delivery: { whisper: true } }),
      testChunk("A", { voice: { speed: 2 } }),
    ])
      expect((await speakOne(engine, chunk)).pieces).toBe((await speakOne(inOneCall, chunk)).pieces);
  });

  it("is refused when the halves of a model do not fit together", async () => {
    const swapped = voice.loadChanged((manifest) => manifest.replace(/decoder: .*/, "decoder: { path: encoder.onnx }"));
    await expect(swapped).rejects.toThrow(/encoder and decoder do not fit together/);
  });
});
