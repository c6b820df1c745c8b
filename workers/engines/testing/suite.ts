import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ServiceError } from "#protocol/errors";
import type { SpeechChunk } from "#protocol/speech/chunk";
import type { SpeechEngine } from "../engine.js";
import { medianPitchHz } from "./pitch.js";
import { speakBatch, speakOne, testChunk } from "./speak.js";

const sentence = "The quick brown fox jumps over the lazy dog, and nobody knows where it is going.";
const other = "Is it really raining, or not?";

const hash = (samples: Int16Array): string => createHash("sha256").update(samples).digest("hex");

/** The contract of `SpeechEngine`, for every implementation. `speaker` is one that differs from the default. */
export function speechEngineConformance(
  name: string,
  options: { load: () => Promise<SpeechEngine>; speaker: string; whispers: boolean },
): void {
  describe(`${name} keeps the contract of a speech engine`, () => {
    let engine: SpeechEngine;
    beforeAll(async () => {
      engine = await options.load();
      await engine.warmUp();
    });
    afterAll(async () => await engine.close());

    const hashOf = async (chunk: SpeechChunk): Promise<string> => hash((await speakOne(engine, chunk)).samples);
    const secondsOf = async (chunk: SpeechChunk): Promise<number> =>
      (await speakOne(engine, chunk)).samples.length / engine.describe().sampleRate;
    const pitchOf = async (chunk: SpeechChunk): Promise<number> => {
      const { samples } = await speakOne(engine, chunk);
      return medianPitchHz(samples, engine.describe().sampleRate) ?? Number.NaN;
    };

    it("makes sound, not silence, of a length that fits the text", async () => {
      const { samples, result } = await speakOne(engine, testChunk(sentence));
      expect(result).toEqual({ result: "spoken", samples: samples.length });
      const rms = Math.sqrt(samples.reduce((sum, sample) => sum + sample ** 2, 0) / samples.length);
      expect(rms).toBeGreaterThan(500);
      expect(samples.length / engine.describe().sampleRate).toBeGreaterThan(1);
      expect(samples.length / engine.describe().sampleRate).toBeLessThan(30);
    });

    it("gives equal bytes for equal chunks: alone, repeated, after other texts, after failures", async () => {
      const expected = await hashOf(testChunk(sentence));
      for (const before of [sentence, other, "A", "Привет, мир", "…", `${sentence} ${other} `.repeat(12)]) {
        await speakOne(engine, testChunk(before));
        expect(await hashOf(testChunk(sentence)), `after ${before.slice(0, 20)}`).toBe(expected);
      }
      await speakOne(engine, testChunk(sentence, { voice: { speaker: "nobody of this name" } }));
      await speakOne(
        engine,
        testChunk(sentence, { voice: { speaker: options.speaker, speed: 1.7 }, delivery: { pitchSemitones: 4 } }),
      );
      expect(await hashOf(testChunk(sentence))).toBe(expected);
    });

    it("gives equal bytes in a second instance", async () => {
      const second = await options.load();
      try {
        await speakOne(second, testChunk(other));
        expect(hash((await speakOne(second, testChunk(sentence))).samples)).toBe(await hashOf(testChunk(sentence)));
      } finally {
        await second.close();
      }
    });

    it("gives equal bytes in a batch, results in the batch's order, and a failing chunk fails alone", async () => {
      const chunks = [
        testChunk(sentence),
        testChunk("x", { voice: { speaker: "nobody of this name" } }),
        testChunk(other),
        testChunk(sentence, { voice: { speed: 1.5 } }),
      ];
      const alone = await Promise.all(chunks.map((chunk) => hashOf(chunk)));
      const batch = await speakBatch(engine, chunks);
      expect(batch.map(({ samples }) => hash(samples))).toEqual(alone);
      expect(batch.map(({ result }) => result.result)).toEqual(["spoken", "failed", "spoken", "spoken"]);
    });

    it("reads freely where sampling lets it, and then the same way every time: alone, in a batch and in a second instance", async () => {
      const free = (seed: number, topP = 1): SpeechChunk =>
        testChunk(sentence, { sampling: { temperature: 1, topP }, seed });
      const expected = await hashOf(free(1));
      const others = [testChunk(sentence), free(2), free(1, 0.8)];
      for (const chunk of others) expect(await hashOf(chunk)).not.toBe(expected);
      const batch = await speakBatch(engine, [free(2), free(1), testChunk(other), free(1)]);
      expect([hash(batch[1]?.samples ?? new Int16Array()), hash(batch[3]?.samples ?? new Int16Array())]).toEqual([
        expected,
        expected,
      ]);
      const second = await options.load();
      try {
        expect(hash((await speakOne(second, free(1))).samples)).toBe(expected);
      } finally {
        await second.close();
      }
    });

    it("speaks several batches at once without mixing them up", async () => {
      const texts = [sentence, other, "One, two, three, four, five.", "Six."];
      const alone: string[] = [];
      for (const text of texts) alone.push(await hashOf(testChunk(text)));
      expect(await Promise.all(texts.map((text) => hashOf(testChunk(text))))).toEqual(alone);
    });

    it("ends a cancelled chunk without further pieces and speaks the others of its batch", async () => {
      const before = new AbortController();
      before.abort();
      const middle = new AbortController();
      const late: number[] = [];
      const long = testChunk(`${sentence} `.repeat(10));
      const [cancelled, stopped, kept] = await engine.speak([
        { chunk: long, signal: before.signal, emit: () => late.push(0) },
        { chunk: long, signal: middle.signal, emit: () => (middle.signal.aborted ? late.push(1) : middle.abort()) },
        { chunk: testChunk(other), signal: new AbortController().signal, emit: () => undefined },
      ]);
      expect([cancelled?.result, stopped?.result, kept?.result]).toEqual(["cancelled", "cancelled", "spoken"]);
      expect(late).toEqual([]);
    });

    it("changes duration about inversely with speed, and keeps the pitch", async () => {
      const [duration, pitch] = [await secondsOf(testChunk(sentence)), await pitchOf(testChunk(sentence))];
      for (const speed of [0.5, 0.75, 1.5, 2]) {
        const chunk = testChunk(sentence, { voice: { speed } });
        const ratio = ((await secondsOf(chunk)) * speed) / duration;
        expect(ratio, `duration at speed ${speed}`).toBeGreaterThan(0.85);
        expect(ratio, `duration at speed ${speed}`).toBeLessThan(1.15);
        expect(Math.abs(12 * Math.log2((await pitchOf(chunk)) / pitch)), `semitones at speed ${speed}`).toBeLessThan(
          1.5,
        );
      }
    });

    it("speaks faster and slower as the delivery asks", async () => {
      const duration = await secondsOf(testChunk(sentence));
      expect(await secondsOf(testChunk(sentence, { delivery: { rateFactor: 1.2 } }))).toBeLessThan(duration * 0.93);
      expect(await secondsOf(testChunk(sentence, { delivery: { rateFactor: 0.85 } }))).toBeGreaterThan(duration * 1.07);
    });

    it("moves the measured pitch as delivery and traits ask", async () => {
      const neutral = await pitchOf(testChunk(sentence));
      const semitones = async (pitchSemitones: number): Promise<number> =>
        12 * Math.log2((await pitchOf(testChunk(sentence, { delivery: { pitchSemitones } }))) / neutral);
      expect(await semitones(3)).toBeGreaterThan(1.5);
      expect(await semitones(-3)).toBeLessThan(-1.5);
      const traits = (pitchHz: number) => ({
        pitchHz,
        pitchRangeSemitones: 2,
        syllablesPerSecond: 4.5,
        spectralTiltDbPerOctave: -6,
      });
      const low = await pitchOf(testChunk(sentence, { voice: { traits: traits(90) } }));
      const high = await pitchOf(testChunk(sentence, { voice: { traits: traits(210) } }));
      expect(high / low).toBeGreaterThan(1.4);
    });

    it("sounds different for another speaker, louder with gain, never beyond full scale", async () => {
      expect(await hashOf(testChunk(sentence, { voice: { speaker: options.speaker } }))).not.toBe(
        await hashOf(testChunk(sentence)),
      );
      const rms = (samples: Int16Array): number =>
        Math.sqrt(samples.reduce((sum, sample) => sum + sample ** 2, 0) / samples.length);
      const neutral = await speakOne(engine, testChunk(sentence));
      const quiet = await speakOne(engine, testChunk(sentence, { delivery: { gainDb: -6 } }));
      const loud = await speakOne(engine, testChunk(sentence, { delivery: { gainDb: 40 } }));
      expect(rms(quiet.samples) / rms(neutral.samples)).toBeCloseTo(0.5, 1);
      expect(rms(loud.samples)).toBeGreaterThan(rms(neutral.samples));
      expect(loud.samples.every((sample) => sample > -32768 && sample < 32768)).toBe(true);
      // Wrap-around would jump from one end of the scale to the other.
      let jump = 0;
      for (let i = 1; i < neutral.samples.length; i++) {
        const [a = 0, b = 0] = [neutral.samples[i - 1], neutral.samples[i]];
        if (Math.sign(a) === Math.sign(b) && Math.sign(loud.samples[i] ?? 0) * Math.sign(b) < 0) jump++;
      }
      expect(jump).toBe(0);
    });

    it("whispers without voice where it can", async () => {
      if (!options.whispers) return;
      const voiced = await speakOne(engine, testChunk(sentence));
      const whispered = await speakOne(engine, testChunk(sentence, { delivery: { whisper: true } }));
      expect(hash(whispered.samples)).not.toBe(hash(voiced.samples));
      expect(zeroCrossingsPerSample(whispered.samples)).toBeGreaterThan(zeroCrossingsPerSample(voiced.samples) * 1.2);
    });

    it("times words in order, inside the sound, at ranges of the source text", async () => {
      const text = "Tom said: <b>R&D</b> isn't 😀 easy, well-known friend.";
      const { words, samples } = await speakOne(engine, testChunk(text));
      const lengthMs = (samples.length / engine.describe().sampleRate) * 1000;
      expect(words.length).toBeGreaterThanOrEqual(6);
      let lastMs = 0;
      let lastOffset = -1;
      for (const word of words) {
        expect(text.slice(word.sourceStart, word.sourceEnd)).toBe(word.text);
        expect(word.startMs).toBeGreaterThanOrEqual(lastMs - 0.11);
        expect(word.endMs).toBeGreaterThanOrEqual(word.startMs);
        expect(word.endMs).toBeLessThanOrEqual(lengthMs + 0.11);
        expect(word.sourceStart).toBeGreaterThan(lastOffset);
        [lastMs, lastOffset] = [word.endMs, word.sourceStart];
      }
      expect(words.map((word) => word.text)).toEqual(
        expect.arrayContaining(["Tom", "said", "isn't", "easy", "well-known", "friend"]),
      );
    });

    it("times a number that is read as words at its place in the source", async () => {
      const text = "It costs 25 dollars today.";
      const { words } = await speakOne(engine, testChunk(text, { normalize: true, voice: { language: "en" } }));
      expect(words.map((word) => word.text)).toEqual(expect.arrayContaining(["It", "costs", "25", "dollars", "today"]));
      for (const word of words) expect(text.slice(word.sourceStart, word.sourceEnd)).toBe(word.text);
    });

    it("adds the pause and keeps the limit of samples", async () => {
      const { sampleRate } = engine.describe();
      const plain = await speakOne(engine, testChunk(other));
      const paused = await speakOne(engine, testChunk(other, { pauseAfterMs: 250 }));
      expect(paused.samples.length - plain.samples.length).toBe(Math.round(sampleRate / 4));
      expect(paused.samples.slice(plain.samples.length).every((sample) => sample === 0)).toBe(true);
      const limited = await speakOne(engine, testChunk(other, { maxSamples: 5000, pauseAfterMs: 250 }));
      expect(limited.result).toEqual({ result: "spoken", samples: 5000 });
      expect(hash(limited.samples)).toBe(hash(plain.samples.slice(0, 5000)));
      expect(limited.words.every((word) => word.endMs <= (5000 / sampleRate) * 1000 + 0.11)).toBe(true);
    });

    it("refuses an unknown speaker, not to be tried again", async () => {
      const { result } = await speakOne(engine, testChunk(other, { voice: { speaker: "nobody of this name" } }));
      expect(result).toMatchObject({ result: "failed", retryable: false });
      expect(result.result === "failed" && result.error).toBeInstanceOf(ServiceError);
    });

    it.each([
      ["emoji", "😀😀"],
      ["dots", "..."],
      ["marks", "!?"],
      ["a blank", " "],
      ["control characters", "\u0000\u0007"],
      ["a lone surrogate", "\ud800"],
      ["a dash", "—"],
      ["markup characters", "<>&"],
      ["entities", "&lt;break/&gt;"],
      ["markup", "<speak><break time='9s'/></speak>"],
      ["combining marks", "e\u0301".repeat(200)],
      ["one endless word", "a".repeat(800)],
      ["one endless number", "9".repeat(400)],
      ["Arabic", "مرحبا"],
      ["Japanese", "日本語"],
    ])("ends for %s, or says that it cannot read it", async (_what, text) => {
      const { result, samples } = await speakOne(engine, testChunk(text));
      if (result.result === "failed")
        expect(result).toMatchObject({ retryable: false, error: { code: "unsupported_language" } });
      else expect(result).toEqual({ result: "spoken", samples: samples.length });
    });
  });
}

function zeroCrossingsPerSample(samples: Int16Array): number {
  let crossings = 0;
  for (let i = 1; i < samples.length; i++)
    if (Math.sign(samples[i] ?? 0) !== Math.sign(samples[i - 1] ?? 0)) crossings++;
  return crossings / samples.length;
}
