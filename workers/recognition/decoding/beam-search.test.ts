import { describe, expect, it } from "vitest";
import { createWordSearch, type Emissions, type SearchOptions } from "./beam-search.js";
import { createLanguageModel } from "./language-model.js";
import { buildLexicon } from "./lexicon.js";
import { type SmallModel, writeWordsFile } from "./testing/write-words-file.js";
import { readWordsFile, type WordsFile } from "./words-file.js";

const SYMBOLS = 4;
const wide: SearchOptions = { lmWeight: 0.8, wordBonus: 0.4, beam: 5000, threshold: 60, blank: 0 };
const never = (): boolean => false;

/**
 * Words over three symbols: one of a single symbol, two that sound alike, one that begins another, one with a symbol
 * twice.
 */
const small: SmallModel = {
  words: ["a", "ab", "abba", "b", "bee", "ca"],
  pronunciations: [
    [[1]],
    [[1, 2]],
    [
      [1, 2, 2, 1],
      [1, 2, 1],
    ],
    [[2]],
    [[2]],
    [[3, 1]],
  ],
  unigram: [-9, -9, -2, -1.5, -2.5, -4, -2, -2.25, -3],
  unigramBackoff: [0, -0.5, 0, -0.25, 0, -0.75, 0, -0.5, 0],
  bigrams: [
    { pair: [1, 1], value: null, backoff: -0.3 },
    { pair: [1, 8], value: -1 },
    { pair: [3, 6], value: -0.5, backoff: -0.2 },
    { pair: [6, 2], value: -1.25 },
    { pair: [6, 7], value: -0.25, backoff: -1 },
  ],
  trigrams: [
    { triple: [1, 1, 3], value: -0.75 },
    { triple: [3, 6, 7], value: -0.1 },
    { triple: [6, 7, 2], value: -0.5 },
  ],
};
const file = readWordsFile(writeWordsFile(small));

function searchOf(words: WordsFile, options: SearchOptions) {
  const model = createLanguageModel(words);
  return createWordSearch(
    buildLexicon(words, (word) => model.unigram(word)),
    model,
    options,
  );
}

/** Log probabilities that are the same each time. */
function emissions(frames: number, seed: number, sharpness: number): Emissions {
  let state = seed;
  const values = new Float32Array(frames * SYMBOLS);
  for (let row = 0; row < values.length; row += SYMBOLS) {
    let sum = 0;
    for (let k = 0; k < SYMBOLS; k++) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      values[row + k] = (state / 2 ** 32) * sharpness;
      sum += Math.exp(values[row + k] as number);
    }
    for (let k = 0; k < SYMBOLS; k++) values[row + k] = (values[row + k] as number) - Math.log(sum);
  }
  return { values, frames, symbols: SYMBOLS };
}

/** The score of the best alignment of symbols (dynamic programming over symbols with blanks between). */
function alignmentScore({ values, frames }: Emissions, symbols: readonly number[]): number {
  const states = [0, ...symbols.flatMap((symbol) => [symbol, 0])];
  const impossible = Number.NEGATIVE_INFINITY;
  // A path begins with the first blank or the first symbol.
  let reached = states.map((_, s) => (s <= 1 ? 0 : impossible));
  let scores = reached;
  for (let t = 0; t < frames; t++) {
    scores = states.map((symbol, s) => (reached[s] as number) + (values[t * SYMBOLS + symbol] as number));
    const at = (s: number): number => scores[s] ?? impossible;
    reached = states.map((symbol, s) =>
      Math.max(at(s), at(s - 1), symbol !== 0 && symbol !== states[s - 2] ? at(s - 2) : impossible),
    );
  }
  return Math.max(scores.at(-1) as number, scores.at(-2) ?? impossible);
}

/** The model's log probability by its definition (FORMAT.md), with the codes' rounding. */
function wordLogProbability(a: number, b: number, c: number): number {
  const probability = (value: number): number => -Math.min(254, Math.round(-value * 12)) / 12;
  const backoff = (value: number): number => Math.round((value + 9.5) * 22) / 22 - 9.5;
  const is = (pair: readonly number[], ...other: number[]): boolean => pair.every((word, i) => word === other[i]);
  const triple = small.trigrams?.find((entry) => is(entry.triple, a, b, c));
  if (triple !== undefined) return probability(triple.value);
  const hangsOn = small.trigrams?.some((entry) => is(entry.triple.slice(0, 2), a, b)) === true;
  const rest = hangsOn ? backoff(small.bigrams?.find((entry) => is(entry.pair, a, b))?.backoff ?? 0) : 0;
  const pair = small.bigrams?.find((entry) => is(entry.pair, b, c));
  if (pair !== undefined && pair.value !== null) return rest + probability(pair.value);
  return rest + backoff(small.unigramBackoff?.[b] ?? 0) + probability(small.unigram[c] ?? 0);
}

/** The best sentence of at most `most` words, by trying all. */
function bestSentence(acoustic: Emissions, options: SearchOptions, most: number): { words: number[]; score: number } {
  let best = { words: [] as number[], score: Number.NEGATIVE_INFINITY };
  const grow = (words: number[], symbols: number[], added: number): void => {
    const [a, b] = [words.at(-2) ?? -2, words.at(-1) ?? -2].map((word) => word + 3) as [number, number];
    const score = alignmentScore(acoustic, symbols) + added + options.lmWeight * wordLogProbability(a, b, 2);
    if (score > best.score) best = { words, score };
    if (words.length === most) return;
    for (const [word, pronunciations] of small.pronunciations.entries()) {
      const more = options.lmWeight * wordLogProbability(a, b, word + 3) + options.wordBonus;
      for (const pronunciation of pronunciations) grow([...words, word], [...symbols, ...pronunciation], added + more);
    }
  };
  grow([], [], 0);
  return best;
}

describe("the language model", () => {
  it("is that of its definition, for every word after every two words", () => {
    const model = createLanguageModel(file);
    const words = [3, 4, 5, 6, 7, 8];
    for (const a of words) {
      for (const b of words) {
        model.look(model.start, a);
        expect(model.logProbability).toBeCloseTo(wordLogProbability(1, 1, a), 9);
        model.look(model.next, b);
        expect(model.logProbability, `<s> ${a} ${b}`).toBeCloseTo(wordLogProbability(1, a, b), 9);
        const context = model.next;
        for (const c of [2, ...words]) {
          model.look(context, c);
          expect(model.logProbability, `${a} ${b} ${c}`).toBeCloseTo(wordLogProbability(a, b, c), 9);
        }
      }
    }
  });
});

describe("the word search", () => {
  it.each(Array.from({ length: 24 }, (_, i) => i + 1))("finds the best of all sentences: sound %i", (seed) => {
    const acoustic = emissions(5, seed * 7919, 6);
    const best = bestSentence(acoustic, wide, 4);
    const found = searchOf(file, wide)(acoustic, never) ?? [];
    expect(found.map(({ word }) => word)).toEqual(best.words);
  });

  it("gives a word's frames and the score of its sound", () => {
    // Blank, a, b, blank, blank, c, a: "ab ca".
    const path = [0, 1, 2, 0, 0, 3, 1];
    const values = new Float32Array(path.length * SYMBOLS).fill(Math.log(0.05));
    for (const [t, symbol] of path.entries()) values[t * SYMBOLS + symbol] = Math.log(0.85);
    // Fewer words rather than more: "ab" and not "a b".
    const found =
      searchOf(file, { ...wide, lmWeight: 0, wordBonus: -1 })(
        { values, frames: path.length, symbols: SYMBOLS },
        never,
      ) ?? [];
    expect(found).toMatchObject([
      { word: 1, startFrame: 1, endFrame: 2 },
      { word: 5, startFrame: 5, endFrame: 6 },
    ]);
    expect(found[0]?.acoustic).toBeCloseTo(3 * Math.log(0.85), 5);
    expect(found[1]?.acoustic).toBeCloseTo(4 * Math.log(0.85), 5);
  });

  it("finds the same with a small beam where the sound is clear, and remembers nothing of other sound", () => {
    const acoustic = emissions(40, 3, 14);
    const search = searchOf(file, { ...wide, beam: 60, threshold: 16 });
    const first = search(acoustic, never);
    expect(first?.length).toBeGreaterThan(3);
    search(emissions(200, 77, 1), never);
    expect(search(acoustic, never)).toEqual(first);
  });

  it("grows with what it must remember: a wide beam over unclear sound", () => {
    const found = searchOf(file, { ...wide, threshold: 40 })(emissions(300, 5, 0.5), never) ?? [];
    expect(found.length).toBeGreaterThan(5);
    for (const [i, word] of found.entries()) {
      expect(word.startFrame).toBeGreaterThan(found[i - 1]?.endFrame ?? -1);
      expect(word.endFrame).toBeGreaterThanOrEqual(word.startFrame);
    }
  });

  it("stops when it is told to, and hears nothing in nothing", () => {
    const search = searchOf(file, wide);
    let asked = 0;
    expect(search(emissions(50, 1, 3), () => ++asked > 10)).toBeNull();
    expect(asked).toBe(11);
    expect(search(emissions(0, 1, 3), never)).toEqual([]);
  });
});
