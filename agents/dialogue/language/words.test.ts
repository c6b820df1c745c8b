import { describe, expect, it } from "vitest";
import { cut, endsInQuestion, joined, wordStart, wordsOf } from "./words.js";

describe("words of a text", () => {
  it("are found without punctuation", () => {
    expect(wordsOf("Uh-huh, I’m  here: 25!")).toEqual(["uh", "huh", "i'm", "here", "25"]);
  });

  it("begin where they begin", () => {
    const text = "Your train leaves at seven.";
    expect(wordStart(text, text.indexOf("ves"), "en")).toBe(text.indexOf("leaves"));
    expect(wordStart(text, text.indexOf("train") + 5, "en")).toBe(text.indexOf("train") + 5);
    expect(wordStart(text, 0, "en")).toBe(0);
    expect(wordStart(text, 99, "en")).toBe(text.length);
    // Not the whole sentence, where no spaces are written.
    expect(wordStart("電車は七時に出発します", 8, "ja")).toBeGreaterThan(4);
  });

  it("are joined by a space where one is needed", () => {
    expect(`One moment.${joined("One moment.", "The train")}`).toBe("One moment. The train");
    expect(joined("One moment. ", "The train")).toBe("The train");
    expect(joined("", "The train")).toBe("The train");
    expect(joined("少々お待ちください。", "電車は")).toBe("電車は");
  });

  it("are cut without splitting a character", () => {
    expect(cut("ab😀c", 3)).toBe("ab");
    expect(cut("ab😀c", 4)).toBe("ab😀");
    expect(cut("ab", 9)).toBe("ab");
    expect(cut("ab", -1)).toBe("");
  });

  it("end in a question for a while", () => {
    expect(endsInQuestion("Do you want it?")).toBe(true);
    expect(endsInQuestion("Do you want it? I can")).toBe(true);
    expect(endsInQuestion("Do you want it? I can also send it to you by mail tomorrow or")).toBe(false);
    expect(endsInQuestion("Do you want it? I can. Or")).toBe(false);
    expect(endsInQuestion("Do you")).toBe(false);
  });
});
