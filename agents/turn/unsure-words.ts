import type { RecognizedWord } from "#protocol/transcription/chunk";

/** More words than this are no hum. */
const MOST_WORDS = 2;

/** Recognizers are less sure than this of words that nobody said, and surer of most that somebody did. */
const LEAST_CONFIDENCE = 0.45;
/** The same of words that may still change. */
const LEAST_PARTIAL_CONFIDENCE = 0.5;

/** The name of a letter. "I" is a word more often, and begins what somebody wants to say. */
const LETTER = /^[a-hj-z]$/i;

/**
 * Whether words may be a hum: recognizers that know no "mhm" take it for a word or two ("and then") of which they are
 * not sure, or for the names of letters ("n n"), however sure. Short words of people may look the same ("okay"), so this
 * says nothing where an answer is awaited.
 */
export const isUnsure = (words: readonly RecognizedWord[]): boolean => mayBeHum(words, LEAST_CONFIDENCE);

/** The same of words that may change. */
export const isUnsurePartial = (words: readonly RecognizedWord[]): boolean => mayBeHum(words, LEAST_PARTIAL_CONFIDENCE);

function mayBeHum(words: readonly RecognizedWord[], leastConfidence: number): boolean {
  if (words.length === 0 || words.length > MOST_WORDS) return false;
  if (words.every(({ text }) => LETTER.test(text))) return true;
  return words.reduce((sum, word) => sum + word.confidence, 0) / words.length < leastConfidence;
}
