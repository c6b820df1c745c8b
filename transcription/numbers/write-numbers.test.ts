import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RecognizedWord } from "#protocol/transcription/chunk";
import { isNumberWord } from "./cardinals.js";
import { cases } from "./testing/cases.js";
import { writeNumbers, writtenForms } from "./write-numbers.js";

const written = (said: string): string =>
  writtenForms(said.split(" "))
    .map(({ text }) => text)
    .join(" ");

/** Words of 300 ms each, 50 ms apart, or what `pauseMs` says before the word at `pauseAt`. */
function timed(said: string, pauseAt = -1, pauseMs = 0): RecognizedWord[] {
  let at = 0;
  return said.split(" ").map((text, i) => {
    at += i === pauseAt ? pauseMs : 50;
    const word = { text, startMs: at, endMs: at + 300, confidence: 1 - i / 10 };
    at += 300;
    return word;
  });
}

describe("numbers as they are written", () => {
  it.each(cases)("%s: %s", (said, expected) => {
    expect(written(said)).toBe(expected);
  });

  it("have the time of all their words, and are as sure as the least sure of them", () => {
    expect(writeNumbers(timed("it costs twenty five dollars now"))).toEqual([
      { text: "it", startMs: 50, endMs: 350, confidence: 1 },
      { text: "costs", startMs: 400, endMs: 700, confidence: 0.9 },
      { text: "$25", startMs: 750, endMs: 1750, confidence: 0.6 },
      { text: "now", startMs: 1800, endMs: 2100, confidence: 0.5 },
    ]);
  });

  it("are not said over a long pause", () => {
    const texts = (pauseMs: number) => writeNumbers(timed("i want twenty five", 3, pauseMs)).map(({ text }) => text);
    expect(texts(900)).toEqual(["i", "want", "25"]);
    expect(texts(1000)).toEqual(["i", "want", "20", "five"]);
  });
});

const vocabulary = [...new Set(cases.flatMap(([said]) => said.split(" ")))];
const sentences = fc.array(fc.constantFrom(...vocabulary), { maxLength: 60 });
const amongNumbers = new Set(
  "and a point dollar dollars euro euros percent per cent cents am pm m p o'clock oh double triple of".split(" "),
);
const isOrdinalOrDecade = (word: string): boolean => /(?:st|nd|rd|th|ties)$/.test(word);

describe("any sentence", () => {
  it("has each of its words in one result, in order, and only those of numbers in longer ones", () => {
    fc.assert(
      fc.property(sentences, (words) => {
        const forms = writtenForms(words);
        expect(forms.reduce((sum, { count }) => sum + count, 0)).toBe(words.length);
        let at = 0;
        for (const { text, count } of forms) {
          const said = words.slice(at, at + count);
          if (text !== said.join(" ")) {
            expect(text).toMatch(/\d/);
            for (const word of said)
              expect(isNumberWord(word) || amongNumbers.has(word) || isOrdinalOrDecade(word)).toBe(true);
          }
          at += count;
        }
      }),
    );
  });

  it("keeps its times in order and inside it", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...vocabulary), { minLength: 1, maxLength: 60 }), (words) => {
        const said = timed(words.join(" "));
        const result = writeNumbers(said);
        expect(result[0]?.startMs).toBe(said[0]?.startMs);
        expect(result.at(-1)?.endMs).toBe(said.at(-1)?.endMs);
        for (const [i, word] of result.entries()) {
          expect(word.startMs).toBeLessThan(word.endMs);
          if (i > 0) expect(word.startMs).toBeGreaterThan(result[i - 1]?.endMs ?? 0);
        }
      }),
    );
  });

  it.each([
    ["one"],
    ["twenty"],
    ["hundred"],
    ["a"],
    ["thousand"],
    ["oh"],
    ["point"],
    ["and"],
    ["double"],
  ])("takes time in proportion to its length, also of many times %s", (word) => {
    /** Words that are looked at, counted. */
    const looks = (length: number): number => {
      let count = 0;
      const words = new Proxy(new Array<string>(length).fill(word), {
        get(target, key, receiver) {
          if (typeof key === "string" && /^\d+$/.test(key)) count++;
          return Reflect.get(target, key, receiver) as unknown;
        },
      });
      writtenForms(words);
      return count;
    };
    expect(looks(4000)).toBeLessThan(2.2 * looks(2000));
  });
});
