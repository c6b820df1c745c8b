import { describe, expect, it } from "vitest";
import { guessLanguages } from "./languages.js";

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
