import { describe, expect, it } from "vitest";
import { howMany } from "#common/testing/how-many";
import { normalizeText } from "./index.js";

const SMALL = howMany(10_000, 1000);
const MEGABYTE = howMany(1_000_000);
/** Below this a measured time is the collector's and the compiler's, not the text's. */
const LEAST_MEASURED_MS = 3;
const FACTOR = 16;
/**
 * Linear work takes 16 times as long on 16 times the text, quadratic 256 times; the line is drawn between, with room
 * for a busy machine.
 */
const MOST = FACTOR * 6;

function fill(unit: string, length: number): string {
  return unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
}

/**
 * Processor time, which other processes do not lengthen: least of at most `tries` runs; stops at the first that takes
 * less than `enoughMs`.
 */
function bestMs(text: string, language: string | null, tries: number, enoughMs: number): number {
  let best = Infinity;
  for (let attempt = 0; attempt < tries && best >= enoughMs; attempt++) {
    const before = process.cpuUsage();
    normalizeText(text, language);
    const used = process.cpuUsage(before);
    best = Math.min(best, (used.user + used.system) / 1000);
  }
  return best;
}

const hostile: readonly (readonly [name: string, unit: string])[] = [
  ["digits", "7"],
  ["commas and digits", "1,"],
  ["dotted digits", "1."],
  ["digits and hyphens", "5-"],
  ["slashes", "1/"],
  ["colons", "1:"],
  ["opening brackets", "("],
  ["square brackets", "["],
  ["link brackets", "]("],
  ["brackets around letters", "(a"],
  ["emotion tags", "(happy)"],
  ["expression tags", "[whisper] "],
  ["dashes", "-"],
  ["em dashes", "a—"],
  ["dots", "."],
  ["dots and letters", "a."],
  ["quotes", '"'],
  ["at signs", "@"],
  ["address pieces", "a@"],
  ["host pieces", "www."],
  ["dollars", "$"],
  ["currency and digits", "$5 "],
  ["hashes", "#"],
  ["words with hashes", "#a"],
  ["plus signs", "1+"],
  ["capitals with dots", "A."],
  ["Roman letters", "I"],
  ["Roman words", "Henry IV "],
  ["zalgo", "Z\u0337\u0321\u030e\u0334"],
  ["marks alone", "\u0301"],
  ["lone high surrogates", "\ud83d"],
  ["lone low surrogates", "\udc00"],
  ["right-to-left override", "\u202eabc"],
  ["Hebrew", "שלום "],
  ["Arabic without spaces", "سلام"],
  ["Chinese without spaces", "我喜欢音乐"],
  ["Thai without spaces", "สวัสดีครับ"],
  ["emoji", "👨‍👩‍👧"],
  ["NUL", "\u0000"],
  ["zero-width", "a\u200b"],
  ["spaces", " "],
  ["newlines", "\n"],
  ["telephone groups", "555 "],
  ["months", "Nov. "],
  ["brackets behind a letter", "a((((((((((((((((((((((((((("],
  ["apostrophes", "'"],
  ["one letter", "a"],
  ["letters and digits", "a1"],
  ["underscores", "a_"],
  ["ampersands", "A&"],
  ["combined", "9(-a.@#'$"],
];

describe("hostile text costs no more per character than its beginning", () => {
  it.each(hostile)("%s", (_name, unit) => {
    for (const language of ["en", "und"]) {
      const small = bestMs(fill(unit, SMALL), language, 3, 0);
      const mostMs = Math.max(small, LEAST_MEASURED_MS) * MOST;
      const large = bestMs(fill(unit, SMALL * FACTOR), language, 4, mostMs);
      expect(large).toBeLessThan(mostMs);
    }
  });

  it("reads a megabyte of digits one by one, as a single source word", () => {
    const digits = fill("123", MEGABYTE);
    const { spoken, spans } = normalizeText(digits, null);
    expect(spans).toEqual([{ spokenStart: 0, spokenEnd: spoken.length, sourceStart: 0, sourceEnd: MEGABYTE }]);
    expect(spoken.startsWith("one two three one")).toBe(true);
    expect(spoken.split(" ")).toHaveLength(MEGABYTE);
  });

  it("speaks nothing of a million brackets", () => {
    expect(normalizeText(fill("([{", MEGABYTE), null)).toEqual({ spoken: "", spans: [] });
  });
});
