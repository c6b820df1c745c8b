import { type Classifier, joinsNext, lowerCore, single } from "./match.js";
import { numberToWords, ordinalToWords, pluralOf, yearToWords } from "./numbers.js";
import { spokenUnit } from "./unit-names.js";

const vulgar: Readonly<Record<string, readonly [number, number]>> = {
  "½": [1, 2],
  "⅓": [1, 3],
  "⅔": [2, 3],
  "¼": [1, 4],
  "¾": [3, 4],
  "⅕": [1, 5],
  "⅖": [2, 5],
  "⅗": [3, 5],
  "⅘": [4, 5],
  "⅙": [1, 6],
  "⅚": [5, 6],
  "⅐": [1, 7],
  "⅛": [1, 8],
  "⅜": [3, 8],
  "⅝": [5, 8],
  "⅞": [7, 8],
  "⅑": [1, 9],
  "⅒": [1, 10],
};

/** Pairs with a slash that are names, not quotients. */
const fixedPairs: Readonly<Record<string, string>> = {
  "24/7": "twenty-four seven",
  "9/11": "nine eleven",
  "7/7": "seven seven",
};

const plainFraction = /^(\d{1,4})[/⁄](\d{1,4})$/;
const mixedNumber = /^(\d{1,6})([½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅐⅛⅜⅝⅞⅑⅒])$/;

/** "three quarters" for 3 and 4. */
function fractionToWords(numerator: number, denominator: number): string {
  if (denominator === 0 || denominator > 100) return `${numberToWords(numerator)} over ${numberToWords(denominator)}`;
  const part =
    denominator === 1
      ? "over one"
      : denominator === 2
        ? "half"
        : denominator === 4
          ? "quarter"
          : ordinalToWords(denominator);
  const plural = part === "half" ? "halves" : pluralOf(part);
  return `${numberToWords(numerator)} ${numerator === 1 || denominator === 1 ? part : plural}`;
}

function afterWhole(whole: string, numerator: number, denominator: number): string {
  const fraction = fractionToWords(numerator, denominator);
  return `${numberToWords(whole)} and ${fraction === "one half" ? "a half" : fraction === "one quarter" ? "a quarter" : fraction}`;
}

/** The value written by a lone fraction ("1/2", "½", "3½") in words, or null. */
export function fractionText(text: string): string | null {
  const single = vulgar[text];
  if (single !== undefined) return fractionToWords(...single);
  const mixed = mixedNumber.exec(text);
  const part = vulgar[mixed?.[2] ?? ""];
  if (mixed !== null && part !== undefined) return afterWhole(mixed[1] ?? "0", ...part);
  const plain = plainFraction.exec(text);
  return plain === null ? null : fractionToWords(Number(plain[1]), Number(plain[2]));
}

/** 1/2, ½, 3½, "3 1/2", 8/10 as a mark, and fixed pairs such as 24/7. */
export const readFraction: Classifier = (tokens, index) => {
  const core = tokens[index]?.core ?? "";
  const next = tokens[index + 1]?.core ?? "";
  if (/^\d{1,6}$/.test(core) && joinsNext(tokens, index)) {
    const [numerator, denominator] = vulgar[next] ?? plainFraction.exec(next)?.slice(1).map(Number) ?? [];
    if (numerator === undefined || denominator === undefined || numerator >= denominator) return null;
    const readings = [
      { tokens: 1, spoken: numberToWords(core) },
      { tokens: 1, spoken: afterWhole("0", numerator, denominator).slice("zero ".length) },
    ];
    const unit = joinsNext(tokens, index + 1) ? spokenUnit(tokens[index + 2]?.core ?? "", false) : null;
    return unit === null ? readings : [...readings, { tokens: 1, spoken: unit }];
  }
  const season = /^((?:19|20)\d\d)\/(\d\d)$/.exec(core);
  if (season !== null) return single(`${yearToWords(Number(season[1]))} ${numberToWords(season[2] ?? "0")}`);
  const fixed = fixedPairs[core];
  if (fixed !== undefined) return single(fixed);
  const plain = plainFraction.exec(core);
  if (plain !== null && plain[1] === plain[2] && Number(plain[1]) > 10) {
    const half = numberToWords(plain[1] ?? "0");
    return single(`${half} ${half}`);
  }
  if (
    plain !== null &&
    Number(plain[1]) > 1 &&
    (plain[2] === "10" || plain[2] === "100") &&
    lowerCore(tokens, index + 1) !== "of"
  ) {
    return single(`${numberToWords(plain[1] ?? "0")} out of ${numberToWords(plain[2])}`);
  }
  const spoken = fractionText(core);
  return spoken === null ? null : single(spoken);
};
