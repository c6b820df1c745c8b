import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { howMany } from "#common/testing/how-many";
import { englishCases } from "./testing/cases.js";
import { type NormalizedText, normalizeText } from "./index.js";

const fragments = [
  "$",
  "€",
  "5",
  "0",
  "12",
  "1999",
  "3:45",
  "pm",
  "a.m.",
  "Dr.",
  "St.",
  "No.",
  "Nov.",
  "May",
  "IV",
  "VIII",
  "Henry",
  "Chapter",
  "J.",
  "etc.",
  "vs",
  "km",
  "°F",
  "%",
  "½",
  "1/2",
  "-",
  "–",
  "—",
  "...",
  "!",
  "?",
  ",",
  ".",
  "(",
  ")",
  "[",
  "](",
  "{",
  '"',
  "'",
  "’",
  "#",
  "@",
  "&",
  "+",
  "=",
  "<",
  ">",
  "*",
  "**",
  "_",
  "`",
  "/",
  "\\",
  "://",
  "http://",
  "www.",
  ".com",
  "x",
  "A",
  "B",
  "hello",
  "World",
  "FBI",
  "é",
  "e\u0301",
  "\u0337",
  "\u200b",
  "\u200d",
  "\u0000",
  "👋",
  "👨‍👩‍👧",
  "\ud800",
  "\udc00",
  "水",
  "שלום",
  "ب",
  "\u202e",
  "\n",
  "\n\n",
  " ",
  " ",
  " ",
  "\t",
  "²",
  "①",
  "Ⅷ",
  "٣",
  "ﬁ",
  "™",
  "©",
  "million",
  "USD",
  "v2",
  "1st",
  "s",
];

const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.string({ unit: "grapheme", maxLength: 60 }),
  fc.array(fc.constantFrom(...fragments), { maxLength: 24 }).map((parts) => parts.join("")),
  fc
    .array(fc.constantFrom(...fragments, ...englishCases.map(([source]) => source)), { maxLength: 12 })
    .map((parts) => parts.join(" ")),
);
const language = fc.constantFrom(null, "en", "en-GB", "de", "zh");
const runs = { numRuns: howMany(3000) };

function holdsInOrder({ spoken, spans }: NormalizedText, source: string): void {
  let spokenAt = 0;
  let sourceAt = 0;
  for (const span of spans) {
    expect(span.spokenStart).toBeGreaterThanOrEqual(spokenAt);
    expect(span.spokenEnd).toBeGreaterThan(span.spokenStart);
    expect(span.sourceStart).toBeGreaterThanOrEqual(sourceAt);
    expect(span.sourceEnd).toBeGreaterThan(span.sourceStart);
    spokenAt = span.spokenEnd;
    sourceAt = span.sourceEnd;
  }
  expect(spokenAt).toBeLessThanOrEqual(spoken.length);
  expect(sourceAt).toBeLessThanOrEqual(source.length);
}

/** Spoken text outside every span. */
function uncovered({ spoken, spans }: NormalizedText): string {
  let rest = "";
  let at = 0;
  for (const span of spans) {
    rest += spoken.slice(at, span.spokenStart);
    at = span.spokenEnd;
  }
  return rest + spoken.slice(at);
}

describe("whatever the text", () => {
  it("spans are ordered, in bounds, and not empty", () => {
    fc.assert(
      fc.property(anyText, language, (text, tag) => holdsInOrder(normalizeText(text, tag), text)),
      runs,
    );
  });

  it("every spoken letter and digit lies in a span", () => {
    fc.assert(
      fc.property(anyText, language, (text, tag) => {
        expect(uncovered(normalizeText(text, tag))).not.toMatch(/[\p{L}\p{N}]/u);
      }),
      runs,
    );
  });

  it("normalizing twice is normalizing once", () => {
    fc.assert(
      fc.property(anyText, language, (text, tag) => {
        const once = normalizeText(text, tag).spoken;
        expect(normalizeText(once, tag).spoken).toBe(once);
      }),
      runs,
    );
  });

  it("English speech holds words and plain punctuation only", () => {
    const speakable = /^[\p{L}\p{M} '.,;:!?-]*$/u;
    fc.assert(
      fc.property(anyText, (text) => {
        expect(normalizeText(text, "en").spoken).toMatch(speakable);
      }),
      runs,
    );
  });
});
