import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { howMany } from "#common/testing/how-many";
import { alignCharacters, SourceText } from "./alignment.js";

const word = (text: string, sourceStart: number, startMs: number, endMs: number) => ({
  text,
  sourceStart,
  sourceEnd: sourceStart + text.length,
  startMs,
  endMs,
});

describe("the time of characters", () => {
  it("shares a word's time among its letters and gives what is between words to what stands there", () => {
    const { characters, startSeconds, endSeconds } = alignCharacters({
      text: "Hi, you.",
      words: [word("Hi", 0, 100, 300), word("you", 4, 500, 800)],
      startSeconds: 10,
      durationSeconds: 1,
    });
    expect(characters.join("")).toBe("Hi, you.");
    expect(startSeconds).toEqual([10.1, 10.2, 10.3, 10.4, 10.5, 10.6, 10.7, 10.8]);
    expect(endSeconds).toEqual([10.2, 10.3, 10.4, 10.5, 10.6, 10.7, 10.8, 11]);
  });

  it("covers every character once, never goes back, and stays inside the sound, whatever the words", () => {
    const words = fc.array(
      fc.record({
        text: fc.constant("w"),
        sourceStart: fc.nat(40),
        sourceEnd: fc.nat(60),
        startMs: fc.nat(3000),
        endMs: fc.nat(3000),
      }),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", maxLength: 30 }),
        words,
        fc.nat(20),
        fc.nat(2000),
        (text, list, startSeconds, durationMs) => {
          const durationSeconds = durationMs / 1000;
          const aligned = alignCharacters({ text, words: list, startSeconds, durationSeconds });
          expect(aligned.characters.join("")).toBe(text);
          const times = aligned.startSeconds.flatMap((start, index) => [start, aligned.endSeconds[index] as number]);
          expect(times).toEqual([...times].sort((a, b) => a - b));
          for (const time of times) {
            expect(time).toBeGreaterThanOrEqual(startSeconds - 1e-4);
            expect(time).toBeLessThanOrEqual(startSeconds + durationSeconds + 1e-4);
          }
        },
      ),
      { seed: 7, numRuns: howMany(500) },
    );
  });
});

describe("pieces in their text", () => {
  it("finds what was left out between them and after them", () => {
    const source = new SourceText();
    source.append("(happy) One. ");
    source.append(" Two.  ");
    expect([
      source.before("One."),
      source.before("not there"),
      source.before("Two."),
      source.remainder(),
      source.remainder(),
    ]).toEqual(["(happy) ", "", "  ", "  ", ""]);
  });
});
