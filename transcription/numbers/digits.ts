import type { Written } from "./written.js";
import { readBelowHundred, units } from "./cardinals.js";

/** More digits are no number that anybody says at once. */
const MAX_DIGITS = 20;
const repeats: ReadonlyMap<string, number> = new Map([
  ["double", 2],
  ["triple", 3],
]);
/** After these "oh" is no zero: "seven four, oh well". */
const exclaimed: ReadonlySet<string> = new Set(["well", "my", "no", "yes", "yeah", "god", "dear", "i", "and", "sorry"]);

/** Digits said one by one: phone numbers, codes. Two are none, and neither are three that count. */
export function writeDigits(words: readonly string[], at: number): Written | null {
  const { digits, count } = readDigits(words, at);
  const isCounted = digits === "123" || digits === "321" || digits === "234" || digits === "345" || digits === "456";
  return digits.length < 3 || isCounted ? null : { text: inGroups(digits), count };
}

/** "eight hundred five five five one two one two". */
export function writeTollFree(words: readonly string[], at: number): Written | null {
  const area = readBelowHundred(words, at);
  if (area === null || area.value < 8 || area.value > 9 || words[at + 1] !== "hundred") return null;
  const { digits, count } = readDigits(words, at + 2);
  return digits.length === 7 ? { text: inGroups(`${area.value}00${digits}`), count: count + 2 } : null;
}

function readDigits(words: readonly string[], at: number): { digits: string; count: number } {
  let digits = "";
  let next = at;
  while (digits.length < MAX_DIGITS) {
    const times = repeats.get(words[next] ?? "");
    const digit = digitOf(words, next + (times === undefined ? 0 : 1), digits.length > 0);
    if (digit === null) break;
    digits += digit.repeat(times ?? 1);
    next += times === undefined ? 1 : 2;
  }
  return { digits, count: next - at };
}

function digitOf(words: readonly string[], at: number, isInside: boolean): string | null {
  const word = words[at] ?? "";
  if (word === "zero") return "0";
  if (word === "oh") return isInside && !exclaimed.has(words[at + 1] ?? "") ? "0" : null;
  const unit = units.get(word);
  return unit === undefined ? null : String(unit);
}

/** As phone numbers of North America are written, where it has their length. */
function inGroups(digits: string): string {
  if (digits.length === 7) return `${digits.slice(0, 3)}-${digits.slice(3)}`;
  if (digits.length === 10) return `${digits.slice(0, 3)}-${digits.slice(3, 6)}-${digits.slice(6)}`;
  if (digits.length === 11 && digits.startsWith("1")) return `1-${inGroups(digits.slice(1))}`;
  return digits;
}
