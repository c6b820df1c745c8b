import { describe, expect, it } from "vitest";
import { guessLanguages, languagesOf } from "./languages.js";

describe("guessLanguages", () => {
  it.each([
    ["The quick brown fox is here, and that is all.", ["en"]],
    ["Der Hund ist nicht mit mir gekommen.", ["de"]],
    ["Le chat est dans la maison et vous pas.", ["fr"]],
    ["El perro y los gatos, que es por eso.", ["es"]],
    ["今日はいい天気です", ["ja"]],
    ["今天天气很好", ["zh"]],
    ["안녕하세요", ["ko"]],
    ["Καλημέρα", ["el"]],
  ])("tells %s", (text, languages) => {
    expect(guessLanguages(text)).toEqual(languages);
  });

  it.each(["", "Alice", "12345", "?!", "Anna und the"])("says nothing about %j", (text) => {
    expect(guessLanguages(text)).toEqual([]);
  });
});

describe("languagesOf", () => {
  it.each<[string[], [text: string, languages: string[]][]]>([
    [["de"], [["Alice", ["de"]]]],
    [
      ["de", "fr"],
      [
        ["Hallo", ["de"]],
        ["Bonjour", ["fr", "de"]],
      ],
    ],
    // The caller's own text counts by what it says, and beside what was recognized.
    [
      ["en", "ja"],
      [
        ["The quick brown fox is here, and that is all.", []],
        ["hai", ["ja"]],
      ],
    ],
    [
      ["en"],
      [
        ["The quick brown fox is here, and that is all.", []],
        ["this is the rest", ["en"]],
      ],
    ],
    // What a recognizer says of one sample is no guess to be outvoted by common words.
    [["nl"], [["is the and to", ["nl"]]]],
    [
      [],
      [
        ["Alice", []],
        ["", []],
      ],
    ],
    [[], []],
  ])("gives %j for %j", (languages, transcripts) => {
    expect(languagesOf(transcripts.map(([text, named]) => ({ text, languages: named })))).toEqual(languages);
  });
});
