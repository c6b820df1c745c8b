import { describe, expect, it } from "vitest";
import { chooseWords } from "./choose-words.js";
import { de } from "./de.js";
import { en } from "./en.js";

describe("the widget's language", () => {
  it("is the first that it knows, whatever the region, else English", () => {
    expect(chooseWords(["nl-NL", "de-AT", "fr"])).toEqual({ language: "de", words: de });
    expect(chooseWords(["ZH_hant"]).language).toBe("zh");
    expect(chooseWords(["constructor", "", "xx"])).toEqual({ language: "en", words: en });
  });

  it.each([
    "de",
    "en",
    "es",
    "fr",
    "it",
    "ja",
    "pt",
    "zh",
  ])("has a word of its own for everything in %s", (language) => {
    const { words, language: chosen } = chooseWords([language]);
    expect(chosen).toBe(language);
    const texts = [...Object.values({ ...words, failures: "" }), ...Object.values(words.failures)].filter(
      (text) => text !== "",
    );
    expect(texts).toHaveLength(28);
    expect(texts.every((text) => typeof text === "string" && text.trim() === text && text.length > 0)).toBe(true);
    const sentences = Object.values(words.failures);
    expect(new Set(sentences).size).toBe(sentences.length);
    if (language !== "en") expect(sentences.filter((text) => Object.values(en.failures).includes(text))).toEqual([]);
  });
});
