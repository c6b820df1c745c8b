import { describe, expect, it } from "vitest";
import { addPartials, changesToBegin, noPartials } from "./partials.js";

describe("partial results", () => {
  it.each([
    ["", "a b", 0],
    ["a b", "a b c d", 0],
    ["a x", "a b c d", 1],
    ["a b c", "b c d", 1],
    ["a c", "a b c d", 1],
    ["a b x y", "a b", 2],
  ])("'%s' is %s with changes: %i", (given, whole, changes) => {
    const split = (text: string): string[] => text.split(" ").filter((word) => word !== "");
    expect(changesToBegin(split(given), split(whole))).toBe(changes);
  });

  it("are counted with and without the word that may be cut", () => {
    const figures = addPartials(noPartials(), {
      partials: ["what", "what time is", "what dime is it"],
      text: "What time is it now?",
    });
    expect(figures).toEqual({ partials: 3, words: 8, changed: 1, settledWords: 5, settledChanged: 1, revisions: 1 });
  });
});
