import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RecognizedWord } from "#protocol/transcription/chunk";
import { mergeWords, phraseSegments, textOf, wordSegments } from "./transcript.js";

const word = (text: string, startMs: number, endMs: number): RecognizedWord => ({
  text,
  startMs,
  endMs,
  confidence: 1,
});

const manyWords = fc
  .array(fc.record({ pauseMs: fc.integer({ min: 0, max: 2000 }), lengthMs: fc.integer({ min: 10, max: 900 }) }), {
    maxLength: 80,
  })
  .map((list) => {
    let at = 0;
    return list.map(({ pauseMs, lengthMs }, index) => {
      const startMs = at + pauseMs;
      at = startMs + lengthMs;
      return word(`w${index}`, startMs, at);
    });
  });

describe("a transcript", () => {
  it("is the same whole and put together from random cuts, in whatever order the pieces come", () => {
    fc.assert(
      fc.property(
        manyWords,
        fc.array(fc.nat({ max: 80 }), { maxLength: 10 }),
        fc.func(fc.integer()),
        (words, cuts, shuffle) => {
          const bounds = [...new Set([0, ...cuts.filter((cut) => cut < words.length), words.length])].sort(
            (a, b) => a - b,
          );
          const pieces = bounds.slice(1).map((to, i) => {
            const own = words.slice(bounds[i], to);
            const startMs = Math.max(0, (own[0]?.startMs ?? 0) - 5);
            return {
              startMs,
              words: own.map((one) => ({ ...one, startMs: one.startMs - startMs, endMs: one.endMs - startMs })),
            };
          });
          const mixed = pieces.toSorted((a, b) => shuffle(a.startMs) - shuffle(b.startMs));
          expect(mergeWords(mixed)).toEqual(words);
        },
      ),
      { numRuns: 200, seed: 3 },
    );
  });

  it("has phrases that hold all words in order, end at pauses and fit a caption where they can", () => {
    fc.assert(
      fc.property(manyWords, (words) => {
        const phrases = phraseSegments(words);
        expect(phrases.map(({ text }) => text).join(" ")).toBe(textOf(words));
        expect(
          phrases.every(({ start, end }, i) => start <= end && (i === 0 || start >= (phrases[i - 1]?.end ?? 0))),
        ).toBe(true);
        expect(phrases.every(({ start, end, text }) => end - start <= 8 || !text.includes(" "))).toBe(true);
        const pausesInside = words.slice(1).filter((one, i) => one.startMs - (words[i]?.endMs ?? 0) >= 600).length;
        expect(phrases.length).toBeGreaterThanOrEqual(words.length === 0 ? 0 : pausesInside + 1);
      }),
      { numRuns: 200, seed: 3 },
    );
  });

  it("parts a long phrase at its longest pause", () => {
    const words = [word("a", 0, 3000), word("b", 3100, 5000), word("c", 5400, 7000), word("d", 7050, 9000)];
    expect(phraseSegments(words)).toEqual([
      { text: "a b", start: 0, end: 5 },
      { text: "c d", start: 5.4, end: 9 },
    ]);
    expect(wordSegments(words).map(({ text }) => text)).toEqual(["a", "b", "c", "d"]);
    expect(phraseSegments([])).toEqual([]);
  });
});
