import { type Classifier, joinsNext, lowerCore, single } from "./match.js";
import { currencyPlural, isScaleWord } from "./money.js";
import { digitsToWords, numberToWords, numeralToWords } from "./numbers.js";
import { withUnit } from "./units.js";

const range = /^([$€£¥]?)(\d[\d.,:]*)(%|k|K|m|M|bn|°|[ap]m|s)?[-–]([$€£¥]?)(\d[\d.,:]*)(.{0,12})$/u;
const version = /^([vV]?)(\d{1,5}(?:\.\d{1,5}){1,4})(?:-?(alpha|beta|rc|dev|pre)[.-]?(\d{0,3}))?$/;
const section = /^(\d{1,3})([a-z])$/;

/** Ranges and scores in one word: 5–10, pages 3-7, $5-$10, 10-15%, 9-5, 1999-2005. Both read "to". */
export const readRange: Classifier = (tokens, index, options) => {
  const match = range.exec(tokens[index]?.core ?? "");
  if (match === null) return null;
  const [, symbol = "", left = "", leftSuffix = "", rightSymbol = "", right = "", suffix = ""] = match;
  if (/[-–/]/.test(suffix) && !/^[a-z]+\/[a-z]+$/i.test(suffix)) return null;
  const sharesUnit =
    leftSuffix === "" && (symbol === "" || rightSymbol === "" || symbol === rightSymbol) && !left.includes(":");
  const isYears = /^\d{4}$/.test(left) && /^(?:\d{4}|\d{2})$/.test(right) && suffix === "" && symbol === "";
  const start =
    symbol !== "" || leftSuffix !== "" || isYears || left.includes(":")
      ? options.read(symbol + left + leftSuffix)
      : numeralToWords(left);
  if (start === null) return null;
  const scale = tokens[index + 1]?.core ?? "";
  if (symbol !== "" && suffix === "" && joinsNext(tokens, index) && isScaleWord(scale)) {
    const words = [numeralToWords(left), numeralToWords(right)].join(" to ");
    return [
      { tokens: 1, spoken: words },
      { tokens: 1, spoken: `${scale} ${currencyPlural(symbol)}` },
    ];
  }
  const from = sharesUnit && symbol !== "" ? (numeralToWords(left) ?? start) : start;
  const spoken = `${from} to ${options.read((rightSymbol === "" ? symbol : rightSymbol) + right + suffix)}`;
  return withUnit(tokens, index, spoken);
};

/** Version numbers: v2.1.0, 2.1.0, v2, 1.0-beta2. Two parts without a "v" are a decimal and not read here. */
export const readVersion: Classifier = (tokens, index) => {
  const core = tokens[index]?.core ?? "";
  const simple = /^v(\d{1,4})$/.exec(core);
  if (simple !== null) return single(`version ${numberToWords(simple[1] ?? "0")}`);
  const match = version.exec(core);
  if (match === null) return null;
  const [, prefix, numbers = "", stage, stageNumber = ""] = match;
  const parts = numbers.split(".");
  if (prefix === "" && parts.length === 2 && stage === undefined) return null;
  const spoken = parts.map((part) => (/^0\d/.test(part) ? digitsToWords(part) : numberToWords(part))).join(" point ");
  const stageWords =
    stage === undefined
      ? ""
      : ` ${stage === "rc" ? "R-C" : stage}${stageNumber === "" ? "" : ` ${numberToWords(stageNumber)}`}`;
  const named = prefix === "" || lowerCore(tokens, index - 1) === "version";
  return single((named ? "" : "version ") + spoken + stageWords);
};

/** A number with one letter, as houses and sections have: 12a, 3b. */
export const readNumberedLetter: Classifier = (tokens, index) => {
  const match = section.exec(tokens[index]?.core ?? "");
  return match === null ? null : single(`${numberToWords(match[1] ?? "0")} ${(match[2] ?? "").toUpperCase()}`);
};
