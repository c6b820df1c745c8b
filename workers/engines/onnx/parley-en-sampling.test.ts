import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { measureVoice } from "#audio/voice/traits";
import { systemClock } from "#common/clock";
import { createLogger } from "#common/log";
import type { Sampling } from "#protocol/speech/chunk";
import { readModelFolder } from "../../repository/folder.js";
import { everydaySentences } from "../testing/everyday-sentences.js";
import { medianPitchHz, pitchesHz } from "../testing/pitch.js";
import { type Spoken, speakOne, testChunk } from "../testing/speak.js";
import { Phonemizer } from "../espeak/phonemizer.js";
import { ModelThreads } from "../model-threads.js";
import { OnnxEngine } from "./engine.js";
import { SessionPool } from "./session-pool.js";
import type { GraphCall } from "./voice-graph.js";

/** All of them take half a minute: `npm run test:thorough`. */
const SENTENCES = process.env["TEST_THOROUGH"] === "1" ? 20 : 10;
const sentences = [
  ...everydaySentences,
  "When the rain stopped, we went outside, and the children began to play.",
  "The old house, which stood on the hill, was sold last year.",
  "If you have any questions, please call us at any time, or send a letter.",
  "After dinner, they sat by the fire and laughed until midnight.",
].slice(-SENTENCES);
/** Phrases whose ends can be found by a word. */
const phrases =
  "When the rain stopped, we all went outside, and my brother played with the dog, while our father read the news, before the evening came.";
const phraseEnds = ["stopped", "outside", "dog", "news", "came"];
const phraseStarts = ["we", "and", "while", "before"];

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const deviation = (values: readonly number[]): number =>
  Math.sqrt(mean(values.map((value) => (value - mean(values)) ** 2)));
const digest = ({ samples }: Spoken): string => createHash("sha256").update(samples).digest("hex");
const semitones = (hz: number): number => 12 * Math.log2(hz);

describe("sampling with the embedded English voice", () => {
  const threads = new ModelThreads(2);
  const calls: GraphCall[] = [];
  let engine: OnnxEngine;
  beforeAll(async () => {
    // From dist/workers/engines/onnx.
    const model = await readModelFolder(fileURLToPath(new URL("../../../../models/parley-en", import.meta.url)));
    const log = createLogger("test", "fatal");
    const pool = new SessionPool(threads);
    const speak = pool.speak.bind(pool);
    const speakWindows = pool.speakWindows.bind(pool);
    pool.speak = async (task) => {
      calls.push(task.call);
      return await speak(task);
    };
    pool.speakWindows = (task, ...rest) => {
      calls.push(task.call);
      return speakWindows(task, ...rest);
    };
    engine = await OnnxEngine.load({
      model,
      pool,
      phonemizer: new Phonemizer({ log, clock: systemClock }),
      providers: ["cpu"],
      log,
    });
    await engine.warmUp();
  });
  afterAll(async () => await threads.close());

  const read = (text: string, sampling: Partial<Sampling>, seed = 1): Promise<Spoken> =>
    speakOne(engine, testChunk(text, { normalize: true, sampling, seed }));
  const voiceOf = ({ samples }: Spoken) => measureVoice({ samples, sampleRate: 22_050 });

  it("gives the graph the voice's own numbers with the defaults, whatever the seed: what it spoke before it knew of sampling", async () => {
    calls.length = 0;
    const [first, second] = [
      await read(sentences[0] as string, {}, 1),
      await read(sentences[0] as string, { temperature: 0.7, topP: 0.7, repetitionPenalty: 1.2 }, 2),
    ];
    // Half of the graph's own movement of pitch is left; the prosody graph adds the rest.
    expect(calls.map(({ scales, controls }) => ({ scales, controls }))).toEqual(
      Array(2).fill({ scales: [0.667, 1, expect.closeTo(-0.2) as number, 0], controls: [null] }),
    );
    expect(calls[0]?.prosody?.[0]).toEqual(calls[1]?.prosody?.[0]);
    expect(calls[0]?.prosody?.[0]?.places.length).toBeGreaterThan(20);
    expect(digest(second)).toBe(digest(first));
  });

  it("moves its pitch more, reads no two takes alike and breathes more with a higher temperature, in one call of the graph", {
    timeout: 300_000,
  }, async () => {
    const measured = async (temperature: number) => {
      const ranges: number[] = [];
      const tops: number[] = [];
      const takePitches: number[] = [];
      const takeLengths: number[] = [];
      let equalTakes = 0;
      for (const [i, text] of sentences.entries()) {
        calls.length = 0;
        const takes = [await read(text, { temperature }, 2 * i), await read(text, { temperature }, 2 * i + 1)];
        expect(calls.length).toBe(2);
        const [first, second] = takes as [Spoken, Spoken];
        const isEqual = digest(first) === digest(second);
        if (isEqual) equalTakes++;
        const heard = isEqual ? [first] : takes;
        const voices = heard.map(voiceOf);
        // Not `measureVoice`'s, which leaves out the ends of lively sentences: they lie far below the median.
        ranges.push(...heard.map(({ samples }) => deviation(pitchesHz(samples, 22_050).map(semitones))));
        tops.push(trebleDb(first.samples));
        takePitches.push(deviation(voices.map(({ pitchHz }) => semitones(pitchHz))));
        takeLengths.push(deviation(takes.map(({ samples }) => Math.log(samples.length))));
      }
      return {
        equalTakes,
        range: mean(ranges),
        treble: mean(tops),
        takePitch: mean(takePitches),
        takeLength: mean(takeLengths),
      };
    };
    const [steady, own, lively] = [await measured(0.1), await measured(0.7), await measured(0.9)];
    expect(own.range / steady.range).toBeGreaterThan(1.2);
    expect(lively.range / own.range).toBeGreaterThan(1.08);
    expect(lively.range / steady.range).toBeGreaterThan(1.35);
    expect(lively.treble - steady.treble).toBeGreaterThan(1);
    expect([steady.equalTakes, own.equalTakes, lively.equalTakes]).toEqual([sentences.length, sentences.length, 0]);
    expect(lively.takePitch).toBeGreaterThan(0.2);
    expect(lively.takeLength).toBeGreaterThan(0.01);
  });

  it("gives equal bytes for equal chunks and others for another seed, with words timed inside the audio", async () => {
    const lively = { temperature: 1, topP: 1 };
    const [take, again, other] = [
      await read(phrases, lively, 5),
      await read(phrases, lively, 5),
      await read(phrases, lively, 6),
    ];
    expect([digest(again), again.words]).toEqual([digest(take), take.words]);
    expect(digest(other)).not.toBe(digest(take));
    const lengthMs = take.samples.length / 22.05;
    expect(take.words.map((word) => word.text)).toEqual(other.words.map((word) => word.text));
    expect(
      take.words.every(
        (word, i) => word.startMs >= (take.words[i - 1]?.endMs ?? 0) - 0.11 && word.endMs <= lengthMs + 0.11,
      ),
    ).toBe(true);
    // Where a word is said to begin, it does: the pause before a phrase ends there.
    for (const name of phraseStarts) {
      const startMs = take.words.find(({ text }) => text === name)?.startMs ?? 0;
      expect([
        name,
        loudness(take.samples, startMs, startMs + 100) > 10 * loudness(take.samples, startMs - 80, startMs - 20),
      ]).toEqual([name, true]);
    }
  });

  it("draws from less with a lower top_p, and from nothing with a low one", { timeout: 120_000 }, async () => {
    const spread = async (topP: number): Promise<number> => {
      const pitches: number[] = [];
      for (let seed = 0; seed < 12; seed++)
        pitches.push(semitones(voiceOf(await read(sentences[4] as string, { temperature: 0.9, topP }, seed)).pitchHz));
      return deviation(pitches);
    };
    const [low, usual, high] = [await spread(0.4), await spread(0.7), await spread(1)];
    expect(low).toBeLessThan(1e-9);
    expect(usual).toBeGreaterThan(0.2);
    expect(high).toBeGreaterThan(usual * 1.3);
  });

  it("lets the pitch of neighbouring phrases go the same way the seldomer the higher the repetition penalty", {
    timeout: 300_000,
  }, async () => {
    const levels = async (sampling: Partial<Sampling>, seed: number): Promise<number[]> => {
      const { samples, words } = await read(phrases, sampling, seed);
      let fromMs = 0;
      return phraseEnds.map((name) => {
        const toMs = words.find(({ text }) => text === name)?.endMs ?? 0;
        const level = semitones(medianPitchHz(samples.subarray(fromMs * 22.05, toMs * 22.05), 22_050) ?? 0);
        fromMs = toMs;
        return level;
      });
    };
    const own = await levels({}, 0);
    const repeats = async (repetitionPenalty: number): Promise<number> => {
      let same = 0;
      for (let seed = 0; seed < 12; seed++) {
        const moved = (await levels({ temperature: 1, topP: 1, repetitionPenalty }, seed)).map(
          (level, i) => level - (own[i] ?? 0),
        );
        same += moved.filter((value, i) => i > 0 && value * (moved[i - 1] ?? 0) > 0).length;
      }
      return same / (12 * (phraseEnds.length - 1));
    };
    const [free, curbed] = [await repeats(0), await repeats(10)];
    expect(free - curbed).toBeGreaterThan(0.2);
  });
});

/** Energy of the second difference against the whole, dB: how much noise there is beside the voice. */
function trebleDb(samples: Int16Array): number {
  let [treble, whole] = [0, 0];
  for (let i = 2; i < samples.length; i++) {
    const [a = 0, b = 0, c = 0] = [samples[i - 2], samples[i - 1], samples[i]];
    treble += (c - 2 * b + a) ** 2;
    whole += c ** 2;
  }
  return 10 * Math.log10(treble / whole);
}

function loudness(samples: Int16Array, fromMs: number, toMs: number): number {
  return Math.sqrt(
    mean([...samples.subarray(Math.round(fromMs * 22.05), Math.round(toMs * 22.05))].map((sample) => sample ** 2)),
  );
}
