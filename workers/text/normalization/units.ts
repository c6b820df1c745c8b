import { fractionText } from "./fractions.js";
import { type Classifier, joinsNext, lowerCore, single } from "./match.js";
import { isOne, numberToWords, numeralToWords } from "./numbers.js";
import { spokenUnit } from "./unit-names.js";

const attached = /^([+-])?(\d[\d.,]*\d|\d|\.\d+|[\d/]+|\d*[½¼¾⅓⅔⅛])-?([°ºµμΩA-Za-z][^\d\s,;:]*)$/u;
const heightInFeet = /^(\d{1,2})'(\d{1,2})$/;

/** Letters that are units after a space only beside more evidence than a number: "5 in the", "5 a". */
const doubtfulAlone = new Set(["in", "s", "A", "F", "C", "K", "B", "d", "J", "N", "t"]);

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
    return single(`${feet} ${numberToWords(height[2] ?? "0")} ${height[2] === "1" ? "inch" : "inches"}`, token.trail.replace(/^"|^''/, ""));
  }
  return attachedUnit(token.core) ?? spacedUnit(tokens, index);
};

function attachedUnit(core: string): ReturnType<Classifier> {
  const match = attached.exec(core);
  if (match === null) return null;
  const [, sign, numeral = "", symbol = ""] = match;
  const words = quantity(numeral);
  const hyphenated = core.includes(`-${symbol}`);
  const unit = spokenUnit(symbol, hyphenated || isSingular(numeral));
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
  const symbol = next.core;
  const words = quantity(numeral);
  if (words === null || !isUnitInContext(tokens, index, symbol)) return null;
  const unit = spokenUnit(symbol, isSingular(numeral));
  if (unit === null) return null;
  const sign = token.core.startsWith("-") ? "minus " : token.core.startsWith("+") ? "plus " : "";
  const after = tokens[index + 2];
  const endsHere = after === undefined || after.startsBlock || /^\p{Lu}/u.test(after.core);
  const trail = next.trail.startsWith(".") && !endsHere ? next.trail.slice(1) : next.trail;
  return [{ tokens: 1, spoken: sign + words }, { tokens: 1, spoken: unit, trail }];
}

function isUnitInContext(tokens: Parameters<Classifier>[0], index: number, symbol: string): boolean {
  if (symbol === "in") return /^(?:ft|feet|foot)$/.test(lowerCore(tokens, index - 1)) || tokens[index + 1]?.trail.startsWith(".") === true;
  return !doubtfulAlone.has(symbol);
}
