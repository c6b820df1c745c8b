import type { RecognizedWord } from "#protocol/transcription/chunk";
import type { NumberForm } from "#protocol/transcription/request";
import { writeLargeOrdinal, writeMeasured, writeNumber } from "./amounts.js";
import { writeDay, writeTime, writeTwoThousands, writeYear } from "./calendar.js";
import { isNumberWord } from "./cardinals.js";
import { writeDigits, writeTollFree } from "./digits.js";
import type { Written } from "./written.js";

/** A number is not said over a longer pause. */
const PAUSE_MS = 1000;

type Rule = (words: readonly string[], at: number) => Written | null;

/** The first that fits a place wins; each looks at a few words only. */
const bound: readonly Rule[] = [writeTollFree, writeTime, writeDigits, writeMeasured, writeDay];
/** These are of one number only: where another stands beside it, nobody knows what is meant ("two twenty"). */
const alone: readonly Rule[] = [writeYear, writeTwoThousands, writeLargeOrdinal, writeNumber];

/**
 * Numbers as they are written, for words as they are said: "twenty five dollars" is "$25". Each word is in one result,
 * in order; all words but those of numbers stay as they are.
 */
export function writtenForms(words: readonly string[]): Written[] {
  const forms: Written[] = [];
  for (let at = 0; at < words.length; ) {
    const form = formAt(words, at) ?? { text: words[at] as string, count: 1 };
    // What is left of a group of numbers that cannot be told apart stays words together.
    const group = form.count === 1 && isNumberWord(words[at]) ? groupAt(words, at) : 1;
    if (form.text === words[at] && group > 1)
      for (let i = 0; i < group; i++) forms.push({ text: words[at + i] as string, count: 1 });
    else forms.push(form);
    at += form.text === words[at] ? group : form.count;
  }
  return forms;
}

/** The words with their numbers in the form that is wanted. Rules are there for English; other languages stay. */
export function withNumbers(
  { words, language }: { words: readonly RecognizedWord[]; language: string },
  form: NumberForm,
): readonly RecognizedWord[] {
  return form === "digits" && /^en(?:-|$)/i.test(language) ? writeNumbers(words) : words;
}

/** The same words with numbers as they are written in English; a number has the time of all its words. */
export function writeNumbers(words: readonly RecognizedWord[]): RecognizedWord[] {
  const written: RecognizedWord[] = [];
  let from = 0;
  while (from < words.length) {
    let to = from + 1;
    while (
      to < words.length &&
      (words[to] as RecognizedWord).startMs - (words[to - 1] as RecognizedWord).endMs < PAUSE_MS
    )
      to++;
    let at = from;
    for (const { text, count } of writtenForms(words.slice(from, to).map((word) => word.text))) {
      written.push(joined(words.slice(at, at + count), text));
      at += count;
    }
    from = to;
  }
  return written;
}

function formAt(words: readonly string[], at: number): Written | null {
  for (const rule of bound) {
    const form = rule(words, at);
    if (form !== null) return form;
  }
  if (isNumberWord(words[at - 1])) return null;
  for (const rule of alone) {
    const form = rule(words, at);
    if (form !== null && !isNumberWord(words[at + form.count])) return form;
  }
  return null;
}

/** How many words of numbers stand at a place one after the other. */
function groupAt(words: readonly string[], at: number): number {
  let count = 1;
  while (isNumberWord(words[at + count]) && formAt(words, at + count) === null) count++;
  return count;
}

/** A number is as sure as its least sure word. */
function joined(words: readonly RecognizedWord[], text: string): RecognizedWord {
  const [first, last] = [words[0] as RecognizedWord, words.at(-1) as RecognizedWord];
  if (words.length === 1) return { ...first, text };
  const confidence = Math.min(...words.map((word) => word.confidence));
  return { text, startMs: first.startMs, endMs: last.endMs, confidence };
}
