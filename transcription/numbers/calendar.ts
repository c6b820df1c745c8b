import { isNumberWord, readBelowHundred, type SpokenNumber, teens, tens, units } from "./cardinals.js";
import { readOrdinal, writeOrdinal } from "./ordinals.js";
import type { Written } from "./written.js";

const months: ReadonlySet<string> = new Set(
  "january february march april may june july august september october november december".split(" "),
);
/** Before months that are other words too. */
const beforeMonth: ReadonlySet<string> = new Set(
  "on by since until till before after from to of this next last".split(" "),
);
const beforeTime: ReadonlySet<string> = new Set("at until till around before after since from".split(" "));
/** Amounts of these are no years and no times. */
const counted: ReadonlySet<string> = new Set(
  "seconds minutes hours days weeks months year years people times percent dollars euros pounds cents degrees miles".split(
    " ",
  ),
);
const decades: ReadonlyMap<string, number> = new Map(
  [...tens].map(([name, value]): [string, number] => [name.replace(/y$/, "ies"), value]),
);

/** "nineteen eighty four", "twenty oh five", "nineteen hundred", "nineteen eighties". */
export function writeYear(words: readonly string[], at: number): Written | null {
  const century = readBelowHundred(words, at);
  if (century === null || century.count > 1 || century.value < 16 || century.value > 20) return null;
  const decade = decades.get(words[at + 1] ?? "");
  if (decade !== undefined) return { text: `${century.value}${decade}s`, count: 2 };
  if (words[at + 1] === "hundred" && century.value < 20 && !isRead(words, at + 2) && !counted.has(words[at + 2] ?? ""))
    return { text: `${century.value}00`, count: 2 };
  const year = readTwoDigits(words, at + 1);
  if (year === null || counted.has(words[at + 1 + year.count] ?? "")) return null;
  return { text: `${century.value}${String(year.value).padStart(2, "0")}`, count: 1 + year.count };
}

/** "two thousand (and) twenty five", as a year is written. */
export function writeTwoThousands(words: readonly string[], at: number): Written | null {
  if (words[at] !== "two" || words[at + 1] !== "thousand") return null;
  const joined = words[at + 2] === "and" ? 1 : 0;
  const year = readBelowHundred(words, at + 2 + joined);
  if (year === null || year.value === 0) return null;
  const after = words[at + 2 + joined + year.count] ?? "";
  if (counted.has(after) || after === "hundred" || after === "point") return null;
  return { text: String(2000 + year.value), count: 2 + joined + year.count };
}

/** The day beside a month: "march third", "the third of march"; the month keeps its word. */
export function writeDay(words: readonly string[], at: number): Written | null {
  const day = readOrdinal(words, at);
  if (day === null || day.value > 31) return null;
  const isAfter = isMonth(words, at - 1);
  const isBefore = words[at + day.count] === "of" && months.has(words[at + day.count + 1] ?? "");
  return isAfter || isBefore ? { text: writeOrdinal(day.value), count: day.count } : null;
}

/** "five thirty p m", "at six fifteen", "nine am", "seven o'clock". */
export function writeTime(words: readonly string[], at: number): Written | null {
  const hour = readBelowHundred(words, at);
  if (hour === null || hour.count > 1 || hour.value < 1 || hour.value > 12) return null;
  if (words[at + 1] === "o'clock") return { text: `${hour.value} o'clock`, count: 2 };
  const minutes = readTwoDigits(words, at + 1);
  const isMinutes = minutes !== null && minutes.value < 60;
  const clock = isMinutes ? `${hour.value}:${String(minutes.value).padStart(2, "0")}` : String(hour.value);
  const count = isMinutes ? 1 + minutes.count : 1;
  const half = halfOfDay(words, at + count);
  if (half !== null) return { text: `${clock} ${half.text}`, count: count + half.count };
  const isTime = isMinutes && beforeTime.has(words[at - 1] ?? "") && !counted.has(words[at + count] ?? "");
  return isTime && !isNumberWord(words[at + count]) ? { text: clock, count } : null;
}

function halfOfDay(words: readonly string[], at: number): Written | null {
  const word = words[at] ?? "";
  const letters = (word === "a" || word === "p") && words[at + 1] === "m";
  if (letters) return { text: `${word.toUpperCase()}M`, count: 2 };
  // "at five am i late"
  const isVerb = word === "am" && ["i", "not"].includes(words[at + 1] ?? "");
  return (word === "am" || word === "pm") && !isVerb ? { text: word.toUpperCase(), count: 1 } : null;
}

/** Ten to ninety-nine, or "oh" and a digit. */
function readTwoDigits(words: readonly string[], at: number): SpokenNumber | null {
  if (words[at] === "oh" || words[at] === "o") {
    const unit = units.get(words[at + 1] ?? "");
    return unit === undefined ? null : { value: unit, count: 2 };
  }
  return isRead(words, at) ? readBelowHundred(words, at) : null;
}

function isRead(words: readonly string[], at: number): boolean {
  return tens.has(words[at] ?? "") || teens.has(words[at] ?? "");
}

function isMonth(words: readonly string[], at: number): boolean {
  const word = words[at] ?? "";
  if (word === "may" || word === "march") return beforeMonth.has(words[at - 1] ?? "");
  return months.has(word);
}
