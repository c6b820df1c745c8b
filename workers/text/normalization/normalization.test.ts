import { describe, expect, it } from "vitest";
import { englishCases } from "./testing/cases.js";
import { normalizeText } from "./index.js";
import { numberToWords } from "./numbers.js";

/** Source words beside what they became. */
function pairs(source: string, language: string | null = null): [string, string][] {
  const { spoken, spans } = normalizeText(source, language);
  return spans.map((span) => [
    source.slice(span.sourceStart, span.sourceEnd),
    spoken.slice(span.spokenStart, span.spokenEnd),
  ]);
}

describe("English text becomes words", () => {
  it("has a table of at least 300 rows", () => {
    expect(englishCases.length).toBeGreaterThanOrEqual(300);
  });

  it.each(englishCases)("%j is spoken %j", (source, spoken) => {
    expect(normalizeText(source, null).spoken).toBe(spoken);
  });

  it.each(englishCases)("%j stays as it is when normalized again", (source) => {
    const once = normalizeText(source, "en").spoken;
    expect(normalizeText(once, "en").spoken).toBe(once);
  });
});

describe("spans lead back to the word as written", () => {
  it("gives all words of an amount to its source word", () => {
    expect(pairs("It cost $5.20, really.")).toEqual([
      ["It", "It"],
      ["cost", "cost"],
      ["$5.20", "five dollars and twenty cents"],
      ["really", "really"],
    ]);
  });

  it("keeps the words of a date apart", () => {
    expect(pairs("On Nov. 20, 2026!")).toEqual([
      ["On", "On"],
      ["Nov", "November"],
      ["20", "twentieth"],
      ["2026", "twenty twenty-six"],
    ]);
  });

  it("moves the currency to the scale word, where it is spoken", () => {
    expect(pairs("£2 billion lost")).toEqual([
      ["£2", "two"],
      ["billion", "billion pounds"],
      ["lost", "lost"],
    ]);
  });

  it("counts UTF-16 units across emoji, zero-width characters and decomposed letters", () => {
    expect(pairs("👋🏽 cafe\u0301 5\u200bkm ok")).toEqual([
      ["cafe\u0301", "café"],
      ["5\u200bkm", "five kilometers"],
      ["ok", "ok"],
    ]);
  });

  it("does not own the punctuation around a word", () => {
    expect(pairs('("Hello," **she** said.)')).toEqual([
      ["Hello", "Hello"],
      ["she", "she"],
      ["said", "said"],
    ]);
  });
});

describe("the language decides", () => {
  it("puts the day first in British dates", () => {
    expect(normalizeText("04/05/2026", "en-GB").spoken).toBe("the fourth of May, twenty twenty-six");
    expect(normalizeText("04/05/2026", "en-US").spoken).toBe("April fifth, twenty twenty-six");
  });

  it("leaves other languages as written but for emoji and control characters", () => {
    expect(normalizeText("Es kostet 5,20 € \u{1f600} am 3.\u0000 Mai", "de").spoken).toBe("Es kostet 5,20 € am 3. Mai");
    expect(normalizeText("«Привет» 5 км", null).spoken).toBe("«Привет» 5 км");
  });

  it("keeps the joiners that spell Persian and Hindi", () => {
    expect(normalizeText("می\u200cخواهم", "fa").spoken).toBe("می\u200cخواهم");
    expect(normalizeText("क्\u200dष", null).spoken).toBe("क्\u200dष");
  });

  it("finds words in scripts without spaces", () => {
    expect(pairs("我喜欢音乐。", "zh").map(([source]) => source)).toEqual(["我", "喜欢", "音乐"]);
    expect(pairs("¿Dónde está?", "es")).toEqual([
      ["Dónde", "Dónde"],
      ["está", "está"],
    ]);
  });

  it("reads English when foreign words are few", () => {
    expect(normalizeText("The word 水 costs $5", null).spoken).toBe("The word 水 costs five dollars");
  });
});

describe("numberToWords", () => {
  it("reads up to a quadrillion and longer numbers by digit", () => {
    expect(numberToWords(0)).toBe("zero");
    expect(numberToWords(-42n)).toBe("minus forty-two");
    expect(numberToWords(10n ** 15n)).toBe("one quadrillion");
    expect(numberToWords(999_999_999_999_999)).toMatch(
      /^nine hundred ninety-nine trillion .* nine hundred ninety-nine$/,
    );
    expect(numberToWords("1000000000000001")).toBe(`one${" zero".repeat(14)} one`);
  });
});
