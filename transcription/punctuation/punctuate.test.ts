import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RecognizedWord } from "#protocol/transcription/chunk";
import { punctuate } from "./punctuate.js";

/** Words of 300 ms; a number between two of them is the pause in milliseconds, 50 where there is none. */
function spoken(text: string): RecognizedWord[] {
  const words: RecognizedWord[] = [];
  let pauseMs = 50;
  for (const part of text.split(" ")) {
    if (/^\d+$/.test(part)) pauseMs = Number(part);
    else {
      const startMs = (words.at(-1)?.endMs ?? 0) + pauseMs;
      words.push({ text: part, startMs, endMs: startMs + 300, confidence: 1 });
      pauseMs = 50;
    }
  }
  return words;
}

const textOf = (words: readonly RecognizedWord[]): string => words.map(({ text }) => text).join(" ");
const written = (text: string, change: { begins?: boolean; ends?: boolean; language?: string } = {}): string =>
  textOf(punctuate({ words: spoken(text), language: "en", begins: true, ends: true, ...change }));

describe("punctuation", () => {
  it.each([
    ["hello from Parley", "Hello from Parley."],
    ["we met 250 and i left 700 it was late", "We met, and I left. It was late."],
    ["where is it 600 i don't know", "Where is it? I don't know."],
    ["how many are there", "How many are there?"],
    ["do you know what i'm saying", "Do you know what I'm saying?"],
    ["when he came 200 we left on monday", "When he came, we left on Monday."],
    ["is", "Is."],
    ["what a day", "What a day."],
    ["you march in may 599 or not", "You march in may, or not."],
    ["$25 please", "$25 please."],
  ])("%s: %s", (said, expected) => {
    expect(written(said)).toBe(expected);
  });

  it("goes on where the audio was cut in the middle of a sentence", () => {
    expect(written("and so it goes", { begins: false })).toBe("and so it goes.");
    expect(written("and so it goes", { ends: false })).toBe("And so it goes");
    expect(written("is it 600 so it is", { begins: false, ends: false })).toBe("is it. So it is");
  });

  it("leaves other languages and words with marks of their own alone", () => {
    expect(written("ich bin 700 da", { language: "de" })).toBe("ich bin da");
    expect(written("Hello there, 700 you")).toBe("Hello there, you");
    expect(written("hello", { language: "en-GB" })).toBe("Hello.");
  });

  it("never loses or moves a word", () => {
    const word = fc.record({
      text: fc.constantFrom("is", "it", "where", "monday", "i", "Parley", "$25"),
      pauseMs: fc.nat(900),
    });
    fc.assert(
      fc.property(fc.array(word), fc.boolean(), fc.boolean(), (parts, begins, ends) => {
        const words = spoken(parts.flatMap(({ text, pauseMs }) => [String(pauseMs), text]).join(" ") || "a");
        const result = punctuate({ words, language: "en", begins, ends });
        const bare = result.map((one) => ({ ...one, text: one.text.replace(/[.,?]$/, "").toLowerCase() }));
        expect(bare).toEqual(words.map((one) => ({ ...one, text: one.text.toLowerCase() })));
      }),
    );
  });
});
