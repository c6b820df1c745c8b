import { FIRST_WORD_ID, type WordsFile } from "../decoding/words-file.js";
import type { Keyterm } from "./keyterm.js";
import type { Pronouncer } from "./pronouncer.js";

/** Words with a higher log probability are found anyway; raising them would only push out others. */
const COMMON = -9;

/** Most keyterms that one search looks out for; of more, the first. */
const MAX_KEYTERMS = 200;

/**
 * Gives the words of a list their pronunciations: those of the words file, and the pronouncer's for words that it lacks
 * and for capitals, which may be letters ("IT"). A term of several words gives a keyterm for each. Left out are words
 * that are common, and those that cannot be pronounced.
 */
export function findKeyterms(
  terms: readonly string[],
  file: WordsFile,
  { unigram, pronounce }: { unigram(word: number): number; pronounce: Pronouncer },
): Keyterm[] {
  const written = new Set(terms.flatMap((term) => term.split(/\s+/)).filter((text) => text !== ""));
  const keyterms: Keyterm[] = [];
  for (const text of written) {
    if (keyterms.length === MAX_KEYTERMS) break;
    const isInCapitals = text.length > 1 && text === text.toUpperCase();
    const known = isInCapitals ? -1 : indexOfWord(file.words, text.toLowerCase().replaceAll("’", "'"));
    const listed = known < 0 ? [] : pronunciationsOf(file, known);
    if (listed.length > 0) {
      if (unigram(known + FIRST_WORD_ID) < COMMON)
        keyterms.push({ text, word: known + FIRST_WORD_ID, pronunciations: listed });
      continue;
    }
    const pronounced = pronounce(text);
    if (pronounced !== null) keyterms.push({ text, word: null, pronunciations: [pronounced] });
  }
  return keyterms;
}

/** Where a word is in the ascending list; -1 where it is not. */
function indexOfWord(words: readonly string[], word: string): number {
  let low = 0;
  let high = words.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((words[middle] as string) < word) low = middle + 1;
    else high = middle;
  }
  return words[low] === word ? low : -1;
}

function pronunciationsOf({ pronunciations: { symbols, starts, wordOf } }: WordsFile, word: number): Uint8Array[] {
  let low = 0;
  let high = wordOf.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((wordOf[middle] as number) < word) low = middle + 1;
    else high = middle;
  }
  const found: Uint8Array[] = [];
  for (let at = low; wordOf[at] === word; at++) found.push(symbols.slice(starts[at], starts[at + 1]));
  return found.filter(({ length }) => length > 0);
}
