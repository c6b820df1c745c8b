import { describe, expect, it } from "vitest";
import { mayHoldSpeech } from "../voice-activity.js";
import { wordConfidences } from "./confidence.js";
import { placeWords } from "./recognized-words.js";

const word = (text: string, startFrame: number, endFrame: number) => ({
  text,
  startFrame,
  endFrame,
  confidence: 0.123456,
});
const clock = { frameMs: 40, startBiasMs: 39, endBiasMs: -9 };

describe("the times of words", () => {
  it("are corrected by the measured bias", () => {
    expect(placeWords([word("one", 10, 14), word("two", 20, 22)], clock, 5000)).toEqual([
      { text: "one", startMs: 361, endMs: 609, confidence: 0.123 },
      { text: "two", startMs: 761, endMs: 929, confidence: 0.123 },
    ]);
  });

  it("lie inside the sound, in order, and do not overlap", () => {
    const placed = placeWords([word("a", 0, 0), word("b", 1, 1), word("c", 2, 2), word("d", 3, 9)], clock, 200);
    let last = 0;
    for (const { startMs, endMs } of placed) {
      expect(startMs).toBeGreaterThanOrEqual(last);
      expect(endMs).toBeGreaterThanOrEqual(startMs);
      last = endMs;
    }
    expect(placed[0]?.startMs).toBe(0);
    expect(last).toBe(200);
  });
});

describe("the confidence of words", () => {
  const found = (acoustic: number) => ({ word: 0, startFrame: 0, endFrame: 0, acoustic });
  const traits = { symbols: 4, unigram: -7 };

  it("falls with the sound of the word and of its neighbours, and stays between 0 and 1", () => {
    const of = (...sounds: number[]): number[] => wordConfidences(sounds.map(found), () => traits);
    const [clear, beside, far] = of(-0.5, -20, -0.5).concat(of(-0.5, -0.5, -0.5)[1] ?? 0, of(-400)) as [
      number,
      number,
      number,
      number,
      number,
    ];
    expect(beside).toBeLessThan(clear);
    expect(far).toBe(clear);
    expect(clear).toBeLessThan(of(-0.5, -0.5, -0.5)[0] ?? 0);
    expect(of(-400)[0]).toBeGreaterThanOrEqual(0);
    expect(of(0)[0]).toBeLessThanOrEqual(1);
  });

  it("is higher for longer and for more common words", () => {
    const of = (symbols: number, unigram: number): number =>
      wordConfidences([found(-1)], () => ({ symbols, unigram }))[0] ?? 0;
    expect(of(6, -7)).toBeGreaterThan(of(2, -7));
    expect(of(4, -3)).toBeGreaterThan(of(4, -11));
    expect(wordConfidences([], () => traits)).toEqual([]);
  });
});

describe("the presence of speech", () => {
  const levels = (count: number, level: (i: number) => number): Float32Array =>
    Float32Array.from({ length: count }, (_, i) => level(i));

  it("is movement of the level, not loudness", () => {
    expect(mayHoldSpeech(new Float32Array(0))).toBe(false);
    expect(mayHoldSpeech(levels(300, () => -16))).toBe(false);
    expect(mayHoldSpeech(levels(300, (i) => 3 + 0.2 * Math.sin(i)))).toBe(false);
    expect(mayHoldSpeech(levels(300, (i) => -12 + 0.6 * Math.sin(i / 5)))).toBe(true);
  });

  it("is there in one short word amid silence, not in a click", () => {
    expect(mayHoldSpeech(levels(2000, (i) => (i > 900 && i < 925 ? -6 : -12)))).toBe(true);
    expect(mayHoldSpeech(levels(2000, (i) => (i > 900 && i < 905 ? -6 : -12)))).toBe(false);
  });
});
