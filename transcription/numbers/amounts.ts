import { isNumberWord, readBelowHundred, readCardinal, units } from "./cardinals.js";
import { readOrdinal, writeOrdinal } from "./ordinals.js";
import type { Written } from "./written.js";

/** Smaller numbers by themselves stay words: "one of them". */
const LEAST_DIGITS = 10;
const currencies: ReadonlyMap<string, string> = new Map([
  ["dollar", "$"],
  ["dollars", "$"],
  ["euro", "€"],
  ["euros", "€"],
]);
const large: ReadonlySet<string> = new Set(["million", "billion", "trillion"]);

/** An amount before it is written: its digits, and the word of its scale where it keeps one. */
interface Amount extends Written {
  value: number;
  scale: string;
}

/** "twenty five dollars", "five dollars and fifty cents", "ten percent": small numbers too. */
export function writeMeasured(words: readonly string[], at: number): Written | null {
  const amount = readAmount(words, at);
  if (amount === null) return null;
  const { text, scale, count } = amount;
  const unit = words[at + count] ?? "";
  const scaled = scale === "" ? text : `${text} ${scale}`;
  if (unit === "percent") return { text: `${scaled}%`, count: count + 1 };
  if (unit === "per" && words[at + count + 1] === "cent") return { text: `${scaled}%`, count: count + 2 };
  const sign = currencies.get(unit);
  if (sign === undefined) return null;
  const cents = scale === "" && !text.includes(".") ? readCents(words, at + count + 1) : null;
  if (cents === null) return { text: `${sign}${scaled}`, count: count + 1 };
  return { text: `${sign}${text}.${cents.text}`, count: count + 1 + cents.count };
}

/** A number by itself that is not small, or has decimals. */
export function writeNumber(words: readonly string[], at: number): Written | null {
  const amount = readAmount(words, at);
  if (amount === null || words[at] === "a") return amount === null ? null : continued(amount);
  const { text, scale, count, value } = amount;
  if (scale !== "") return { text: `${text} ${scale}`, count };
  return value >= LEAST_DIGITS || text.includes(".") ? { text, count } : null;
}

/** An ordinal from the tenth on; smaller ones are words: "second hand". */
export function writeLargeOrdinal(words: readonly string[], at: number): Written | null {
  const ordinal = readOrdinal(words, at);
  if (ordinal === null || ordinal.value < LEAST_DIGITS) return null;
  // "a tenth of it", "one twentieth", "a twenty second delay".
  const before = words[at - 1] ?? "";
  if (before === "a" || isNumberWord(before)) return null;
  return { text: writeOrdinal(ordinal.value), count: ordinal.count };
}

/** "a hundred and twenty" is a number, "a hundred" a way to say many. */
function continued({ text, scale, count }: Amount): Written | null {
  return count > 2 ? { text: scale === "" ? text : `${text} ${scale}`, count } : null;
}

function readAmount(words: readonly string[], at: number): Amount | null {
  // "Half a million" is less than one.
  const cardinal = words[at] === "a" && words[at - 1] === "half" ? null : readCardinal(words, at);
  if (cardinal === null) return null;
  const { value, count } = cardinal;
  // "At one point two of them left."
  const isMoment = value === 1 && ["at", "that", "this"].includes(words[at - 1] ?? "");
  const decimals = isMoment ? null : readDecimals(words, at + count);
  if (decimals !== null) {
    const next = count + decimals.count;
    const scale = large.has(words[at + next] ?? "") ? (words[at + next] as string) : "";
    const text = `${value.toLocaleString("en-US")}.${decimals.text}`;
    return { value, text, scale, count: next + (scale === "" ? 0 : 1) };
  }
  const last = words[at + count - 1] as string;
  const size = last === "million" ? 1e6 : last === "billion" ? 1e9 : last === "trillion" ? 1e12 : 1;
  const isRound = size > 1 && value / size < 1000;
  const text = (isRound ? value / size : value).toLocaleString("en-US");
  return { value, text, scale: isRound ? last : "", count };
}

/** "point one four". */
function readDecimals(words: readonly string[], at: number): Written | null {
  if (words[at] !== "point") return null;
  let digits = "";
  while (digits.length < 12) {
    const word = words[at + 1 + digits.length] ?? "";
    const digit = word === "zero" || word === "oh" ? 0 : units.get(word);
    if (digit === undefined) break;
    digits += digit;
  }
  return digits === "" ? null : { text: digits, count: 1 + digits.length };
}

/** "(and) fifty cents", as two digits. */
function readCents(words: readonly string[], at: number): Written | null {
  const joined = words[at] === "and" ? 1 : 0;
  const cents = readBelowHundred(words, at + joined);
  if (cents === null) return null;
  const isNamed = words[at + joined + cents.count] === "cents" || words[at + joined + cents.count] === "cent";
  if (!isNamed) return null;
  return { text: String(cents.value).padStart(2, "0"), count: joined + cents.count + 1 };
}
