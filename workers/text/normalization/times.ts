import { type Classifier, type Reading, joinsNext, single } from "./match.js";
import { numberToWords } from "./numbers.js";
import type { Token } from "./tokens.js";

const clock = /^(\d{1,2})(?::(\d{2}))?(?::(\d{2}))?(am|pm|a\.m|p\.m|AM|PM|A\.M|P\.M)?$/;
const halfOfDay = /^(?:am|pm|a\.m|p\.m|AM|PM|A\.M|P\.M)$/;
const duration = /^(?:(\d{1,4})d)?(?:(\d{1,4})h)?(?:(\d{1,4})(?:m|min))?(?:(\d{1,4})s)?$/;

/** "three forty-five"; the full hour is "three o'clock" up to noon and "fifteen hundred" after. Hours 0 to 24. */
export function clockToWords(hour: number, minute: number): string {
  if (minute === 0) {
    if (hour === 0 || hour === 24) return "midnight";
    return hour <= 12 ? `${numberToWords(hour)} o'clock` : `${numberToWords(hour)} hundred`;
  }
  return `${numberToWords(hour)} ${minute < 10 ? "oh " : ""}${numberToWords(minute)}`;
}

function counted(value: string, noun: string): string {
  return `${numberToWords(value)} ${noun}${value === "1" ? "" : "s"}`;
}

/** Joined letters: an engine reads a lone "A" as the article. */
function halfToWords(half: string): string {
  return half.toLowerCase().startsWith("a") ? "A-M" : "P-M";
}

/** A stop after "a.m" ends the sentence only where one can end. */
function halfTrail(token: Token, next: Token | undefined): string {
  if (!token.core.includes(".") || !token.trail.startsWith(".")) return token.trail;
  return next === undefined || next.startsBlock || /^\p{Lu}/u.test(next.core) ? token.trail : token.trail.slice(1);
}

/** Times of day: 3:45 pm, 9am, 15:30, 12:00, 15:30:45. */
export const readTime: Classifier = (tokens, index) => {
  const token = tokens[index];
  const match = clock.exec(token?.core ?? "");
  if (token === undefined || match === null) return null;
  const [, hourText = "0", minuteText, secondText, attached] = match;
  const next = tokens[index + 1];
  const apart =
    attached === undefined && joinsNext(tokens, index) && next !== undefined && halfOfDay.test(next.core)
      ? next
      : undefined;
  const half = attached ?? apart?.core;
  const [hour, minute] = [Number(hourText), Number(minuteText ?? "0")];
  if (hour > 24 || minute > 59 || Number(secondText ?? "0") > 59 || (half === undefined && minuteText === undefined))
    return null;
  const bareHour = half !== undefined && minute === 0;
  const seconds =
    secondText === undefined || secondText === "00" ? "" : ` and ${counted(secondText.replace(/^0/, ""), "second")}`;
  const time = (bareHour ? numberToWords(hour) : clockToWords(hour, minute)) + seconds;
  if (half === undefined) return single(time);
  if (apart === undefined) return single(`${time} ${halfToWords(half)}`, halfTrail(token, next));
  return [
    { tokens: 1, spoken: time },
    { tokens: 1, spoken: halfToWords(half), trail: halfTrail(apart, tokens[index + 2]) },
  ];
};

/** Durations in one word: 1h30m, 2d4h, 45min. A single lower-case "m" or "d" alone is left to the units. */
export const readDuration: Classifier = (tokens, index) => {
  const core = tokens[index]?.core ?? "";
  const match = /^\d/.test(core) ? duration.exec(core) : null;
  if (match === null) return null;
  const nouns = ["day", "hour", "minute", "second"];
  const parts = match
    .slice(1)
    .flatMap((value, position) => (value === undefined ? [] : [counted(value, nouns[position] ?? "")]));
  const reading: Reading[] = single(parts.join(" "));
  return parts.length > 1 || /\dh$/.test(core) ? reading : null;
};

/** Ratios and other pairs with a colon: 16:9, 3:1. */
export const readRatio: Classifier = (tokens, index) => {
  const match = /^(\d{1,4}):(\d{1,4})$/.exec(tokens[index]?.core ?? "");
  return match === null ? null : single(`${numberToWords(match[1] ?? "0")} to ${numberToWords(match[2] ?? "0")}`);
};
