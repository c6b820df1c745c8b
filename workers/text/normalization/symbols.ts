import { type Classifier, lowerCore, single } from "./match.js";
import { labelDigitsToWords, numeralToWords } from "./numbers.js";
import { withUnit } from "./units.js";

const aloneNames: Readonly<Record<string, string>> = {
  "&": "and",
  "+": "plus",
  "=": "equals",
  "==": "equals",
  "@": "at",
  "%": "percent",
  "<": "is less than",
  ">": "is greater than",
  "±": "plus or minus",
  "×": "times",
  "÷": "divided by",
  "≥": "is greater than or equal to",
  "≤": "is less than or equal to",
  ">=": "is greater than or equal to",
  "<=": "is less than or equal to",
  "≠": "is not equal to",
  "!=": "is not equal to",
  "≈": "is approximately",
  "°": "degrees",
  "©": "copyright",
};
const betweenNumbers: Readonly<Record<string, string>> = { "*": "times", "/": "divided by" };

const prefixNames: Readonly<Record<string, string>> = {
  "+": "plus",
  "-": "minus",
  "±": "plus or minus",
  "~": "about",
  "≈": "approximately",
  "<": "less than",
  ">": "more than",
  "≥": "at least",
  "≤": "at most",
  ">=": "at least",
  "<=": "at most",
  "=": "equals",
  "#": "number",
  "√": "the square root of",
};

const operators: Readonly<Record<string, string>> = {
  "+": "plus",
  "=": "equals",
  "==": "equals",
  "×": "times",
  "*": "times",
  "÷": "divided by",
  "/": "over",
  "<": "is less than",
  ">": "is greater than",
  "≤": "is less than or equal to",
  "≥": "is greater than or equal to",
  "<=": "is less than or equal to",
  ">=": "is greater than or equal to",
  "≠": "is not equal to",
  "!=": "is not equal to",
  "±": "plus or minus",
  "^": "to the power of",
  "-": "minus",
  "–": "minus",
  "≈": "is approximately",
};
const expression =
  /^[+-]?(?:[\d.,]+|[a-z]{1,2}|\d[a-z])[²³]?(?:(?:[<>!=]=|[-–+=×*÷/<>≤≥≠±^≈])-?(?:[\d.,]+|[a-z]{1,2}|\d[a-z])[²³]?){1,20}$/i;
const expressionPart = /[<>!=]=|[-–+=×*÷/<>≤≥≠±^≈]|[\d.,]+|[a-z]{1,2}|[²³]/gi;
const powers: Readonly<Record<string, string>> = { "²": "squared", "³": "cubed" };

function isNumeric(text: string): boolean {
  return /^[-+$€£]?[.\d]/.test(text) || /^[-+]?[a-z]$/i.test(text);
}

/** Symbols that stand alone between words: 5 + 3 = 8, you & me, a < b. */
export const readLoneSymbol: Classifier = (tokens, index) => {
  const core = tokens[index]?.core ?? "";
  const startsClause = index === 0 || tokens[index - 1]?.trail !== "";
  if (startsClause && /^[<>≥≤≈=]=?$/.test(core)) return single(prefixNames[core] ?? "");
  if (Object.hasOwn(aloneNames, core)) return single(aloneNames[core] ?? "");
  const [before, after] = [lowerCore(tokens, index - 1), lowerCore(tokens, index + 1)];
  if (core === "x") return /^\d[\d.]*$/.test(before) && /^\d[\d.]*$/.test(after) ? single("by") : null;
  if (!isNumeric(before) || !isNumeric(after)) return null;
  if (Object.hasOwn(betweenNumbers, core)) return single(betweenNumbers[core] ?? "");
  if (core !== "-" && core !== "–") return null;
  const [low, high] = [Number(before.replace(/[^\d.]/g, "")), Number(after.replace(/[^\d.]/g, ""))];
  const inEquation =
    lowerCore(tokens, index + 2) === "=" ||
    lowerCore(tokens, index - 2) === "=" ||
    /^[a-z]$/.test(before) ||
    /^[a-z]$/.test(after);
  return single(low < high && !inEquation ? "to" : "minus");
};

/** A sign in front of something readable: -5, ~10 km, <5, ±2%, #3. */
export const readSigned: Classifier = (tokens, index, options) => {
  const match = /^([<>]=|[+\-±~≈<>≥≤=#√])(?=[\d.$€£½])(.+)$/u.exec(tokens[index]?.core ?? "");
  const name = match === null ? undefined : prefixNames[match[1] ?? ""];
  return match === null || name === undefined
    ? null
    : withUnit(tokens, index, `${name} ${options.read(match[2] ?? "")}`);
};

/**
 * Formulas in one word: 2+2=4, x=5, E=mc², 3×4, 2^10, x². Letters alone need an equals sign or a power, so "and/or" is
 * none.
 */
export const readExpression: Classifier = (tokens, index) => {
  const core = tokens[index]?.core ?? "";
  const power = /^([A-Za-z]|[\d.]+)([²³])$/.exec(core);
  if (power !== null) return single(`${numeralToWords(power[1] ?? "") ?? power[1]} ${powers[power[2] ?? ""]}`);
  const multiple = /^(\d[\d.]*)[x×]$/.exec(core);
  if (multiple !== null) return single(`${numeralToWords(multiple[1] ?? "") ?? multiple[1]} times`);
  const size = /^(\d{1,6})[x×](\d{1,6})(?:[x×](\d{1,6}))?$/.exec(core);
  if (size !== null && core.includes("x")) {
    return single(
      size
        .slice(1)
        .flatMap((part) => (part === undefined ? [] : [labelDigitsToWords(part)]))
        .join(" by "),
    );
  }
  const isFormula =
    expression.test(core) && /[+=×*÷<>≤≥≠±^≈]/.test(core) && (/[\d=²³]/.test(core) || /^[a-z][<>≤≥][a-z]$/i.test(core));
  if (!isFormula) return null;
  const words = (core.match(expressionPart) ?? []).map((part, position) => {
    if (position === 0 && part === "-") return "minus";
    return operators[part] ?? powers[part] ?? numeralToWords(part) ?? [...part].join(" ");
  });
  return single(words.join(" ").replace("to the power of two", "squared").replace("to the power of three", "cubed"));
};
