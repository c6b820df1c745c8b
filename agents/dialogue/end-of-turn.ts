import { turnWordsOf } from "./language/turn-words.js";
import { wordsOf } from "./language/words.js";
import type { Eagerness } from "./settings.js";

/** Silence after finished words that ends a turn, in milliseconds. */
const baseMs: Readonly<Record<Eagerness, number>> = { relaxed: 900, balanced: 550, eager: 300 };

/** Added while the words look unfinished. */
const UNFINISHED_MS = 800;

/** Of the base, after a short answer that is whole. */
const ANSWER_SHARE = 0.6;

/** A run of digits that is shorter may go on; telephone numbers have at least as many. */
const WHOLE_NUMBER_DIGITS = 7;

/** Milliseconds of silence after which a caller who has said `text` is taken to be done. */
export function endOfTurnMs(text: string, eagerness: Eagerness, language: string): number {
  const base = baseMs[eagerness];
  const completeness = completenessOf(text, language);
  if (completeness === "unfinished") return base + UNFINISHED_MS;
  return completeness === "answer" ? Math.round(base * ANSWER_SHARE) : base;
}

/** Whether words look as though more must come, are a whole short answer, or neither. */
function completenessOf(text: string, language: string): "unfinished" | "answer" | "sentence" {
  const trimmed = text.trim();
  const words = wordsOf(trimmed);
  const last = words.at(-1);
  if (last === undefined) return "sentence";
  const known = turnWordsOf(language);
  if (known.answers.has(words.join(" "))) return "answer";
  const mark = trimmed.at(-1) ?? "";
  if (",;:-–—…、，；：".includes(mark) || trimmed.endsWith("...")) return "unfinished";
  if ("?？".includes(mark)) return "sentence";
  if (known.never.has(last) || isHalfNumber(words, language)) return "unfinished";
  return known.seldom.has(last) && !".!。！".includes(mark) ? "unfinished" : "sentence";
}

/** Ends in digits, at least two or those of something that has a number, and too few. */
function isHalfNumber(words: readonly string[], language: string): boolean {
  const known = turnWordsOf(language);
  let digits = 0;
  let run = 0;
  while (run < words.length) {
    const word = words[words.length - 1 - run] ?? "";
    if (known.digits.has(word)) digits++;
    else if (/^\+?\d{1,4}$/.test(word)) digits += word.length;
    else break;
    run++;
  }
  if (run === 0 || digits >= WHOLE_NUMBER_DIGITS) return false;
  return run >= 2 || words.slice(0, -run).some((word) => known.numbers.has(word));
}
