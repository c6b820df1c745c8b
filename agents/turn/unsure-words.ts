import type { RecognizedWord } from "#protocol/transcription/chunk";

/** More words than this are no hum. */
const MOST_WORDS = 2;

/** Recognizers are less sure than this of words that nobody said, and surer of most that somebody did. */
const LEAST_CONFIDENCE = 0.45;

/**
 * Whether words may be a hum: recognizers that know no "mhm" take it for a word or two ("and then") of which they are not
 * sure. Short words of people may look the same ("okay"), so this says nothing where an answer is awaited.
 */
export function isUnsure(words: readonly RecognizedWord[]): boolean {
  if (words.length === 0 || words.length > MOST_WORDS) return false;
  return words.reduce((sum, { confidence }) => sum + confidence, 0) / words.length < LEAST_CONFIDENCE;
}

/**
 * The same of words that may change: the first word of what is being said is often another one in the end, or the
 * beginning of a phrase ("I see").
 */
export const isUnsurePartial = (words: readonly RecognizedWord[]): boolean => words.length === 1 || isUnsure(words);
