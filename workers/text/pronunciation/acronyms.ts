import { spell } from "./letter-names.js";
import type { Phones } from "./phones.js";

/** Capitals that are words of their own, though short or odd. */
const readAsWords = new Set(
  (
    "nasa nato unesco unicef opec aids ram rom lan wan sim pin json yaml toml rest crud posix fifa uefa osha hipaa nafta fema swat radar laser " +
    "scuba gif jpeg mpeg png cuda onnx simd raid bios unix sql captcha covid sars mers wifi ikea lego asap " +
    "darpa noaa nascar ascii cobol fortran basic ajax isis"
  ).split(" "),
);

/** Words that, in capitals, are letters: the word would hardly be shouted. */
const readAsLetters = new Set(
  (
    "id us ai pr hr pc tv eu un uk la pa ms ml io ip os ui ux qa vr ar hi tb gb mb kb ad bc cv dj dna er icu ira lcd led ngo " +
    "pdf rsa uv"
  ).split(" "),
);

/** Whether capitals of this kind are a name that is spoken as a word: "NASA". */
export function isSpokenAcronym(word: string): boolean {
  return readAsWords.has(word.toLowerCase());
}

/** Letters that can be said as a word though no list has it: vowels with at most two consonants between. */
const pronounceable =
  /^(?:[^aeiouy]{0,2}[aeiouy]{1,2}(?:[^aeiouy]{1,2}[aeiouy]{1,2})+[^aeiouy]{0,2}|[^aeiouy]{1,2}[aeiouy][^aeiouy]{1,2})$/;

/**
 * A word written in capitals as letters, or null when it is to be read as a word. `listed` says whether the lexicon has
 * it, `shouting` whether its whole sentence is in capitals, where only what cannot be said is spelled.
 */
export function acronym(written: string, listed: boolean, shouting: boolean): Phones | null {
  const word = written.toLowerCase();
  if (word.length === 1 || readAsWords.has(word)) return null;
  if (!/[aeiouy]/.test(word) && !listed) return spell(word);
  if (shouting || listed) return readAsLetters.has(word) && !shouting ? spell(word) : null;
  if (word.length >= 4 && pronounceable.test(word)) return null;
  return word.length <= 6 ? spell(word) : null;
}
