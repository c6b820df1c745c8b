import { type Classifier, type Reading, lowerCore, single } from "./match.js";
import { ordinalToWords, yearToWords } from "./numbers.js";
import { clockToWords } from "./times.js";
import type { Token } from "./tokens.js";

const months = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];
const monthNames: ReadonlyMap<string, string> = new Map([
  ...months.map((month): [string, string] => [month.toLowerCase(), month]),
  ...months.map((month): [string, string] => [month.slice(0, 3).toLowerCase(), month]),
  ["sept", "September"],
]);
const shortMonths = new Set(["jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec"]);
const weekdays: Readonly<Record<string, string>> = {
  mon: "Monday",
  tue: "Tuesday",
  tues: "Tuesday",
  wed: "Wednesday",
  thu: "Thursday",
  thur: "Thursday",
  thurs: "Thursday",
  fri: "Friday",
  sat: "Saturday",
  sun: "Sunday",
};

const yearFirst =
  /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?:T(\d{2}):(\d{2})(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;
const yearLast = /^(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})$/;
const dayNumber = /^(\d{1,2})(?:st|nd|rd|th)?$/;

function isDay(month: number, day: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]!;
}

function dateToWords(year: number | null, month: number, day: number, dayFirst: boolean): string {
  const name = months[month - 1] ?? "";
  const date = dayFirst ? `the ${ordinalToWords(day)} of ${name}` : `${name} ${ordinalToWords(day)}`;
  return year === null ? date : `${date}, ${yearToWords(year)}`;
}

/** A date in figures alone; `parts` in the order written. */
function figures(first: number, second: number, year: number, dayFirst: boolean, dotted: boolean): string | null {
  const day = dayFirst || dotted || first > 12 ? first : second;
  const month = day === first && (dayFirst || dotted || first > 12) ? second : first;
  if (isDay(month, day)) return dateToWords(year, month, day, dayFirst || dotted);
  return isDay(day, month) ? dateToWords(year, day, month, dayFirst || dotted) : null;
}

/** Dates in figures: 2026-11-20, 11/20/2026, 20.11.2026, and 11/20 after "on". */
export const readNumericDate: Classifier = (tokens, index, options) => {
  const core = tokens[index]?.core ?? "";
  const iso = yearFirst.exec(core);
  if (iso !== null) {
    const [year, month, day] = [Number(iso[1]), Number(iso[3]), Number(iso[4])];
    if (!isDay(month, day) || year === 0) return null;
    const clock = iso[5] === undefined ? "" : `, ${clockToWords(Number(iso[5]), Number(iso[6]))}`;
    return single(dateToWords(year, month, day, options.dayFirst) + clock);
  }
  const written = yearLast.exec(core);
  if (written !== null) {
    const digits = written[4] ?? "";
    const year = digits.length === 4 ? Number(digits) : Number(digits) + (Number(digits) < 50 ? 2000 : 1900);
    if (year === 0 || (digits.length === 2 && written[2] !== "/")) return null;
    const spoken = figures(Number(written[1]), Number(written[3]), year, options.dayFirst, written[2] === ".");
    return spoken === null ? null : single(spoken);
  }
  const short = /^(\d{1,2})\/(\d{1,2})$/.exec(core);
  if (short !== null && lowerCore(tokens, index - 1) === "on") {
    const [first, second] = [Number(short[1]), Number(short[2])];
    const [month, day] = options.dayFirst ? [second, first] : [first, second];
    return isDay(month, day) ? single(dateToWords(null, month, day, options.dayFirst)) : null;
  }
  return null;
};

/** The month a token names. A name that is also a word ("may", "march") must be capitalised. */
function monthOf(token: Token | undefined): string | null {
  if (token === undefined || !/^[A-Za-z]{3,9}$/.test(token.core)) return null;
  const month = monthNames.get(token.core.toLowerCase());
  if (month === undefined || /^[a-z]/.test(token.core)) return null;
  return month;
}

function withoutStop(trail: string): string {
  return trail.startsWith(".") ? trail.slice(1) : trail;
}

function dayOf(token: Token | undefined): number | null {
  const day = Number(dayNumber.exec(token?.core ?? "")?.[1] ?? 0);
  return day >= 1 && day <= 31 && token?.lead === "" ? day : null;
}

function yearReading(token: Token | undefined): Reading | null {
  if (token === undefined || token.lead !== "" || !/^[12]\d{3}$/.test(token.core)) return null;
  return { tokens: 1, spoken: yearToWords(Number(token.core)) };
}

/**
 * Dates with a month's name: Nov. 20, 2026; November 20th; 20 November 2026; Nov 2026; and the names alone when cut
 * short with a stop.
 */
export const readNamedDate: Classifier = (tokens, index) => {
  const token = tokens[index];
  const next = tokens[index + 1];
  const month = monthOf(token);
  if (token !== undefined && month !== null) return monthFirst(tokens, index, month);
  const nextMonth = monthOf(next);
  const day = dayOf(token);
  if (nextMonth === null || day === null || token?.trail !== "" || next === undefined) return null;
  const the = lowerCore(tokens, index - 1) === "the" ? "" : "the ";
  const year = /^[.,]?$/.test(next.trail) ? yearReading(tokens[index + 2]) : null;
  const name: Reading = { tokens: 1, spoken: nextMonth };
  if (year !== null || shortMonths.has(next.core.toLowerCase()))
    name.trail = year === null ? withoutStop(next.trail) : ",";
  return [{ tokens: 1, spoken: `${the}${ordinalToWords(day)} of` }, name, ...(year === null ? [] : [year])];
};

function monthFirst(tokens: readonly Token[], index: number, month: string): Reading[] | null {
  const token = tokens[index];
  const next = tokens[index + 1];
  if (token === undefined) return null;
  const short = shortMonths.has(token.core.toLowerCase());
  const stopOnly = token.trail === "" || (short && token.trail === ".");
  const day = stopOnly ? dayOf(next) : null;
  if (day !== null && next !== undefined) {
    const year = /^,?$/.test(next.trail) ? yearReading(tokens[index + 2]) : null;
    const readings: Reading[] = [
      { tokens: 1, spoken: month, trail: "" },
      { tokens: 1, spoken: ordinalToWords(day) },
    ];
    return year === null ? readings : [readings[0]!, { ...readings[1]!, trail: "," }, year];
  }
  const days = stopOnly ? /^(\d{1,2})[-–](\d{1,2})$/.exec(next?.core ?? "") : null;
  if (days?.slice(1).every((written) => Number(written) >= 1 && Number(written) <= 31) === true) {
    const spoken = days
      .slice(1)
      .map((written) => ordinalToWords(written))
      .join(" to ");
    return [
      { tokens: 1, spoken: month, trail: "" },
      { tokens: 1, spoken },
    ];
  }
  const year = stopOnly || token.trail === "," ? yearReading(next) : null;
  if (year !== null) return [{ tokens: 1, spoken: month, trail: "" }, year];
  if (short && token.trail.startsWith("."))
    return single(month, next === undefined ? token.trail : withoutStop(token.trail));
  return null;
}

/** From one weekday or month to another: Mon-Fri, Jan–Mar. */
function nameRange(core: string): string | null {
  const ends =
    /^([A-Z][a-z]{2,4})[-–]([A-Z][a-z]{2,4})$/
      .exec(core)
      ?.slice(1)
      .map((name) => name.toLowerCase()) ?? [];
  const names = ends.map(
    (name) => weekdays[name] ?? (shortMonths.has(name) || name === "may" ? monthNames.get(name) : undefined),
  );
  return names.length === 2 && names.every((name) => name !== undefined) ? names.join(" to ") : null;
}

/** Weekdays cut short: "Mon.", "Fri" before a comma or a date, and ranges of weekdays or months. */
export const readWeekday: Classifier = (tokens, index) => {
  const token = tokens[index];
  const range = nameRange(token?.core ?? "");
  if (range !== null) return single(range);
  const day = weekdays[token?.core.toLowerCase() ?? ""];
  if (token === undefined || day === undefined || !/^[A-Z]/.test(token.core)) return null;
  const beforeDate = token.trail === "," && (monthOf(tokens[index + 1]) !== null || dayOf(tokens[index + 1]) !== null);
  if (beforeDate) return single(day);
  const certain =
    token.trail.startsWith(".,") ||
    (token.trail === "." && monthOf(tokens[index + 1]) !== null) ||
    (token.trail.startsWith(".") && !/^(?:Sun|Sat)$/.test(token.core));
  return certain ? single(day, tokens[index + 1] === undefined ? token.trail : withoutStop(token.trail)) : null;
};
