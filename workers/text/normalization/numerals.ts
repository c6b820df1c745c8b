import { type Classifier, lowerCore, single } from "./match.js";
import { numberToWords, numeralToWords, ordinalToWords, pluralOf, yearToWords } from "./numbers.js";

const ordinal = /^(\d{1,3}(?:,\d{3})+|\d{1,15})(?:st|nd|rd|th|ST|ND|RD|TH)$/;
const decade = /^(?:'?(\d0)|(\d{3}0))'?s$/;

/** What makes "60s" a decade and not a minute. */
const beforeDecade = new Set(["the", "early", "late", "mid", "my", "his", "her", "their", "our"]);
const afterDecade = new Set([
  "music",
  "rock",
  "pop",
  "hits",
  "style",
  "fashion",
  "movie",
  "movies",
  "era",
  "kid",
  "kids",
  "nostalgia",
  "song",
  "songs",
  "tv",
  "cinema",
]);
const earliestYear = 1100;
const latestYear = 2099;

/** Words before a number that make it a year whatever follows. */
const beforeYear = new Set([
  "in",
  "since",
  "year",
  "circa",
  "until",
  "till",
  "by",
  "during",
  "spring",
  "summer",
  "autumn",
  "fall",
  "winter",
  "early",
  "late",
  "mid",
  "january",
  "february",
  "march",
  "april",
  "may",
  "june",
  "july",
  "august",
  "september",
  "october",
  "november",
  "december",
  "copyright",
  "©",
]);

/** Words in -s or irregular plurals after a number that make it a count. */
const notPlurals = new Set([
  "was",
  "is",
  "has",
  "as",
  "its",
  "this",
  "does",
  "his",
  "versus",
  "vs",
  "us",
  "yes",
  "perhaps",
  "always",
  "sales",
  "goes",
  "sees",
  "marks",
]);
const irregularPlurals = new Set([
  "people",
  "men",
  "women",
  "children",
  "feet",
  "mice",
  "percent",
  "dollars",
  "sheep",
  "fish",
]);

const emergency = new Set(["call", "dial", "calling", "dialing", "called", "dialed"]);

/** Whether a four-digit number reads as a year: in the range of history, and not counting things. */
function isYear(digits: string, before: string, after: string): boolean {
  const value = Number(digits);
  if (beforeYear.has(before) && value >= 1000 && value < 2200) return !irregularPlurals.has(after);
  if (value < earliestYear || value > latestYear) return false;
  if (irregularPlurals.has(after)) return false;
  return !(after.length > 2 && /^[a-z]+s$/.test(after) && !notPlurals.has(after));
}

/**
 * Years cut short, decades and centuries: '99, 1980s, '90s, 1800s; "60s" only in the company of words about decades,
 * else it is seconds.
 */
export const readDecade: Classifier = (tokens, index) => {
  const token = tokens[index];
  const match = decade.exec(token?.core ?? "");
  if (token === undefined) return null;
  if (/^\d\d$/.test(token.core) && token.lead.endsWith("'") && !token.trail.startsWith("'")) {
    return single((token.core.startsWith("0") ? "oh " : "") + numberToWords(token.core));
  }
  if (match === null) return null;
  const [, short, long] = match;
  if (long !== undefined) return single(pluralOf(yearToWords(Number(long))));
  const marked = token.core.startsWith("'") || token.lead.endsWith("'");
  if (!marked && !beforeDecade.has(lowerCore(tokens, index - 1)) && !afterDecade.has(lowerCore(tokens, index + 1)))
    return null;
  return single(pluralOf(numberToWords(short ?? "0")));
};

/** Cardinals, decimals, ordinals, percentages and years. */
export const readNumeral: Classifier = (tokens, index) => {
  const token = tokens[index];
  if (token === undefined) return null;
  const core = token.core;
  if (/^\d{4}$/.test(core)) {
    const after = token.trail === "" ? (tokens[index + 1]?.core ?? "") : "";
    if (isYear(core, lowerCore(tokens, index - 1), after)) return single(yearToWords(Number(core)));
  }
  if (/^\d11$/.test(core) && emergency.has(lowerCore(tokens, index - 1)))
    return single([...core].map(numberToWords).join(" "));
  const plain = numeralToWords(core);
  if (plain !== null) return single(plain);
  const ordinalMatch = ordinal.exec(core);
  if (ordinalMatch !== null) return single(ordinalToWords(ordinalMatch[1] ?? "0"));
  const scientific = /^(\d[\d.]*)[eE]([+-]?)(\d{1,3})$/.exec(core);
  const mantissa = numeralToWords(scientific?.[1] ?? "");
  if (scientific !== null && mantissa !== null) {
    return single(
      `${mantissa} times ten to the power of ${scientific[2] === "-" ? "minus " : ""}${numberToWords(scientific[3] ?? "0")}`,
    );
  }
  const percent = /^(.+?)([%‰])$/.exec(core);
  if (percent !== null) {
    const words = numeralToWords(percent[1] ?? "");
    return words === null ? null : single(`${words} ${percent[2] === "%" ? "percent" : "per mille"}`);
  }
  return null;
};
