import { describe, expect, it } from "vitest";
import { keytermsOf, keytermsOfPrompt } from "./keyterms.js";

describe("keyterms of a list", () => {
  it("are its words, each once and without marks around", () => {
    expect(keytermsOf(["Parley", "Home Assistant, Okta", "(Parley)", " — ", "C++ AT&T"])).toEqual([
      "Parley",
      "Home",
      "Assistant",
      "Okta",
      "C",
      "AT&T",
    ]);
  });

  it("are at most a hundred, none of them longer than words are", () => {
    expect(keytermsOf(Array.from({ length: 300 }, (_, i) => `w${i}`))).toEqual(
      Array.from({ length: 100 }, (_, i) => `w${i}`),
    );
    expect(keytermsOf(["a".repeat(51), "b"])).toEqual(["b"]);
  });
});

describe("keyterms of a prompt", () => {
  it("are its words as they are written, but for capitals that only begin a sentence", () => {
    expect(keytermsOfPrompt("Lecture by Anna O'Neil on GPT-4. Zeppelins and Parley!")).toEqual([
      "lecture",
      "by",
      "Anna",
      "O'Neil",
      "on",
      "GPT-4",
      "zeppelins",
      "and",
      "Parley",
    ]);
    expect(keytermsOfPrompt("Parley, Okta")).toEqual(["Parley", "Okta"]);
    expect(keytermsOfPrompt("Names: Anna")).toEqual(["Names", "Anna"]);
    expect(keytermsOfPrompt(" ")).toEqual([]);
  });

  it("are the last hundred of a long one", () => {
    const words = Array.from({ length: 300 }, (_, i) => `w${i}`);
    expect(keytermsOfPrompt(words.join(" "))).toEqual(words.slice(-100));
  });
});
