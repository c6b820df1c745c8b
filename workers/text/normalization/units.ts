import { fractionText } from "./fractions.js";
import { type Classifier, type Reading, joinsNext, lowerCore, single } from "./match.js";
import { isOne, numberToWords, numeralToWords } from "./numbers.js";
import { spokenUnit } from "./unit-names.js";

const attached = /^([+-])?(\d[\d.,]*\d|\d|\.\d+|[\d/]+|\d*[½¼¾⅓⅔⅛])-?([°ºµμΩA-Za-z][^\d\s,;:]*)$/u;
const heightInFeet = /^(\d{1,2})'(\d{1,2})$/;

/** Letters that name flats and models as often as units: "4B", "12A". */
const labels = new Set(["A", "B", "F", "H", "J", "N", "t", "u"]);

/** Units that need more evidence than a number and a space: "5 in the". */
const doubtfulAlone = new Set([...labels, "in", "s", "d"]);

function quantity(numeral: string): string | null {
  return numeralToWords(numeral) ?? fractionText(numeral);
}

/** Quantities with units: 5 km, 3.2GHz, 72°F, 10 mph, 5'11", 16-bit is left alone. */
export const readQuantity: Classifier = (tokens, index) => {
  const token = tokens[index];
  if (token === undefined) return null;
  const height = heightInFeet.exec(token.core);
  if (height !== null && (token.trail.startsWith('"') || token.trail.startsWith("''"))) {
    const feet = `${numberToWords(height[1] ?? "0")} ${height[1] === "1" ? "foot" : "feet"}`;
    return single(
      `${feet} ${numberToWords(height[2] ?? "0")} ${height[2] === "1" ? "inch" : "inches"}`,
      token.trail.replace(/^"|^''/, ""),
    );
  }
  return minutesAfterHours(tokens, index) ?? attachedUnit(token.core) ?? spacedUnit(tokens, index);
};

/** The "m" of "1h 30m" is minutes. */
function minutesAfterHours(tokens: Parameters<Classifier>[0], index: number): ReturnType<Classifier> {
  const match = /^(\d{1,2})m$/.exec(tokens[index]?.core ?? "");
  if (match === null || !/^(?:\d+h|h|hrs?)$/.test(lowerCore(tokens, index - 1))) return null;
  return single(`${numberToWords(match[1] ?? "0")} ${match[1] === "1" ? "minute" : "minutes"}`);
}

function attachedUnit(core: string): ReturnType<Classifier> {
  const match = attached.exec(core);
  if (match === null) return null;
  const [, sign, numeral = "", symbol = ""] = match;
  const words = quantity(numeral);
  const hyphenated = core.includes(`-${symbol}`);
  const unit = labels.has(symbol) ? null : spokenUnit(symbol, hyphenated || isSingular(numeral));
  if (words === null || unit === null) return null;
  return single(`${sign === "-" ? "minus " : sign === "+" ? "plus " : ""}${words} ${unit}`);
}

function isSingular(numeral: string): boolean {
  return isOne(numeral) || /^1\/\d+$|^[½¼⅓⅛]$/.test(numeral);
}

function spacedUnit(tokens: Parameters<Classifier>[0], index: number): ReturnType<Classifier> {
  const token = tokens[index];
  const next = tokens[index + 1];
  if (token === undefined || next === undefined || !joinsNext(tokens, index)) return null;
  const numeral = token.core.replace(/^[+-]/, "");
  const words = quantity(numeral);
  const unit = words === null ? null : nextUnit(tokens, index, isSingular(numeral));
  if (words === null || unit === null) return null;
  const sign = token.core.startsWith("-") ? "minus " : token.core.startsWith("+") ? "plus " : "";
  return [{ tokens: 1, spoken: sign + words }, unit];
}

/** The unit written as the next token, or null. */
function nextUnit(tokens: Parameters<Classifier>[0], index: number, singular: boolean): Reading | null {
  const next = tokens[index + 1];
  if (next === undefined || !joinsNext(tokens, index) || !isUnitInContext(tokens, index, next.core)) return null;
  const unit = spokenUnit(next.core, singular);
  if (unit === null) return null;
  const after = tokens[index + 2];
  const endsHere = after === undefined || after.startsBlock || /^\p{Lu}/u.test(after.core);
  return { tokens: 1, spoken: unit, trail: next.trail.startsWith(".") && !endsHere ? next.trail.slice(1) : next.trail };
}

/** Readings of a range or signed number with the unit that follows it, if one does: "5–10 km", "~5 km". */
export function withUnit(tokens: Parameters<Classifier>[0], index: number, spoken: string): Reading[] {
  const core = tokens[index]?.core ?? "";
  const isOneSigned = /^\D+1$/.test(core);
  const unit = /\d$/.test(core) ? nextUnit(tokens, index, isOneSigned) : null;
  return unit === null ? single(spoken) : [{ tokens: 1, spoken }, unit];
}

function isUnitInContext(tokens: Parameters<Classifier>[0], index: number, symbol: string): boolean {
  if (symbol === "in")
    return /^(?:ft|feet|foot)$/.test(lowerCore(tokens, index - 1)) || tokens[index + 1]?.trail.startsWith(".") === true;
  return !doubtfulAlone.has(symbol);
}
