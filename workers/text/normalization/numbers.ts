const ones = [
  "zero",
  "one",
  "two",
  "three",
  "four",
  "five",
  "six",
  "seven",
  "eight",
  "nine",
  "ten",
  "eleven",
  "twelve",
  "thirteen",
  "fourteen",
  "fifteen",
  "sixteen",
  "seventeen",
  "eighteen",
  "nineteen",
];
const tens = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
const scales = ["", " thousand", " million", " billion", " trillion", " quadrillion"];

const irregularOrdinals: Readonly<Record<string, string>> = {
  one: "first",
  two: "second",
  three: "third",
  five: "fifth",
  eight: "eighth",
  nine: "ninth",
  twelve: "twelfth",
};

/** Largest number that is read as one; longer ones are read digit by digit. */
const LARGEST_READ = 10n ** 15n;

/** Each digit by name: "0421" gives "zero four two one". Other characters are left out. */
export function digitsToWords(digits: string): string {
  const words: string[] = [];
  for (const digit of digits) {
    if (digit >= "0" && digit <= "9") words.push(ones[Number(digit)] ?? "");
  }
  return words.join(" ");
}

/**
 * A whole number in English words, American style without "and". `value` may carry a sign and thousands commas; beyond
 * 10^15 digit by digit.
 */
export function numberToWords(value: number | bigint | string): string {
  const text = String(value).replaceAll(",", "");
  if (text.startsWith("-")) return `minus ${numberToWords(text.slice(1))}`;
  const digits = text.replace(/^0+(?=\d)/, "");
  if (digits.length > 16 || BigInt(digits) > LARGEST_READ) return digitsToWords(text);
  return wordsBelowLimit(Number(digits));
}

function wordsBelowLimit(value: number): string {
  if (value === 0) return "zero";
  const groups: string[] = [];
  for (let rest = value, scale = 0; rest > 0; rest = Math.floor(rest / 1000), scale++) {
    const group = rest % 1000;
    if (group > 0) groups.unshift(belowThousand(group) + (scales[scale] ?? ""));
  }
  return groups.join(" ");
}

function belowThousand(value: number): string {
  const rest = value % 100;
  if (value < 100) return belowHundred(value);
  return `${ones[Math.floor(value / 100)]} hundred${rest > 0 ? ` ${belowHundred(rest)}` : ""}`;
}

function belowHundred(value: number): string {
  if (value < 20) return ones[value] ?? "";
  return (tens[Math.floor(value / 10)] ?? "") + (value % 10 > 0 ? `-${ones[value % 10]}` : "");
}

/** "twenty-first" for 21; takes what `numberToWords` takes. */
export function ordinalToWords(value: number | bigint | string): string {
  const words = numberToWords(value);
  const at = Math.max(words.lastIndexOf(" "), words.lastIndexOf("-")) + 1;
  return words.slice(0, at) + ordinalOf(words.slice(at));
}

function ordinalOf(word: string): string {
  return irregularOrdinals[word] ?? (word.endsWith("y") ? `${word.slice(0, -1)}ieth` : `${word}th`);
}

/** English plural of a number word: "nineties", "sixes", "hundreds". */
export function pluralOf(word: string): string {
  if (word.endsWith("y")) return `${word.slice(0, -1)}ies`;
  return /(?:x|s|ch|sh)$/.test(word) ? `${word}es` : `${word}s`;
}

/** A year from 1 to 9999 as years are read: "nineteen oh five", "two thousand", "twenty twenty-six". */
export function yearToWords(year: number): string {
  const century = Math.floor(year / 100);
  const rest = year % 100;
  if (year < 1000 || century % 10 === 0) {
    if (rest < 10 || year < 1000) return numberToWords(year);
  }
  if (rest === 0) return `${numberToWords(century)} hundred`;
  return `${numberToWords(century)} ${rest < 10 ? "oh " : ""}${numberToWords(rest)}`;
}

/**
 * Digits of a name or label ("A320", "i7", "x86"): short ones as numbers, three and four in pairs, long or zero-led
 * ones by digit.
 */
export function labelDigitsToWords(digits: string): string {
  const value = Number(digits);
  if (digits.length > 4 || (digits.length > 1 && digits.startsWith("0"))) return digitsToWords(digits);
  if (digits.length <= 2 || value % 100 === 0) return digits.length === 4 ? yearToWords(value) : numberToWords(value);
  if (digits.length === 4) return yearToWords(value);
  return `${ones[Math.floor(value / 100)]} ${value % 100 < 10 ? "oh " : ""}${numberToWords(value % 100)}`;
}

const numeral = /^(?:(\d+|\d{1,3}(?:,\d{2,3})*,\d{3})(?:\.(\d+))?|\.(\d+))$/;

/**
 * A number as written, unsigned: "1,234", "3.14", ".5", "007" (digit by digit). Null when `text` is something else.
 */
export function numeralToWords(text: string): string | null {
  const match = numeral.exec(text);
  if (match === null) return null;
  const [, whole, fraction, bareFraction] = match;
  if (whole === undefined) return `point ${digitsToWords(bareFraction ?? "")}`;
  const zeroLed = whole.length > 1 && whole.startsWith("0");
  const words = zeroLed ? digitsToWords(whole) : numberToWords(whole);
  return fraction === undefined ? words : `${words} point ${digitsToWords(fraction)}`;
}

/** Whether a numeral stands for exactly one, so that what it counts is singular. */
export function isOne(numeralText: string): boolean {
  return numeralText === "1";
}
