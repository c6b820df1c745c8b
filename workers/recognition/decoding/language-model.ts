import { NO_BIGRAM, SENTENCE_START, type WordsFile } from "./words-file.js";

/**
 * A trigram model with back-off, in natural logarithms. What it remembers of a sentence so far is one number, its
 * context: histories that no later word can tell apart have equal contexts.
 */
export interface LanguageModel {
  /** The context before a sentence's first word. */
  readonly start: number;
  /** Log probability of a word id by itself. */
  unigram(word: number): number;
  /** Looks a word id up in a context: `logProbability` and `next`, the context after it, are then this word's. */
  look(context: number, word: number): void;
  logProbability: number;
  next: number;
}

const probability = (code: number): number => -code / 12;
const backoff = (code: number): number => code / 22 - 9.5;

/** Slots of the memory of recent look-ups, a power of two. */
const MEMORY_SLOTS = 1 << 16;

/**
 * Makes a model's look-up. Contexts below the number of pairs are pairs on which trigrams hang; the others are single
 * words.
 */
export function createLanguageModel(file: WordsFile): LanguageModel {
  const { pairStart, pairWord, pair, pairBackoff, tripleStart, tripleWord, triple } = file;
  const pairs = pairWord.length;
  const unigrams = Float64Array.from(file.unigram, probability);
  const unigramBackoffs = Float64Array.from(file.unigramBackoff, backoff);
  // Context, word, log probability, context after it: side by side, since a look-up wants them all.
  const memory = new Float64Array(4 * MEMORY_SLOTS).fill(-1);
  const wordOfPair = (context: number): number => (context < pairs ? (pairWord[context] as number) : context - pairs);
  const contextAfter = (word: number, entry: number): number =>
    entry >= 0 && (tripleStart[entry + 1] as number) > (tripleStart[entry] as number) ? entry : pairs + word;

  const model: LanguageModel = {
    start: 0,
    unigram: (word) => unigrams[word] as number,
    logProbability: 0,
    next: 0,
    look(context, word) {
      const slot = 4 * ((Math.imul(context, 0x9e3779b1) ^ Math.imul(word, 0x85ebca6b)) >>> 16);
      if (memory[slot] === context && memory[slot + 1] === word) {
        model.logProbability = memory[slot + 2] as number;
        model.next = memory[slot + 3] as number;
        return;
      }
      const before = wordOfPair(context);
      const entry = find(pairWord, pairStart[before] as number, pairStart[before + 1] as number, word);
      let value = Number.NaN;
      if (context < pairs) {
        const found = find(tripleWord, tripleStart[context] as number, tripleStart[context + 1] as number, word);
        value = found >= 0 ? probability(triple[found] as number) : backoff(pairBackoff[context] as number);
        if (found < 0) value = shorter(before, entry, word) + value;
      } else value = shorter(before, entry, word);
      const next = contextAfter(word, entry);
      memory[slot] = context;
      memory[slot + 1] = word;
      memory[slot + 2] = value;
      memory[slot + 3] = next;
      model.logProbability = value;
      model.next = next;
    },
  };
  const shorter = (before: number, entry: number, word: number): number =>
    entry >= 0 && pair[entry] !== NO_BIGRAM
      ? probability(pair[entry] as number)
      : (unigramBackoffs[before] as number) + (unigrams[word] as number);
  const first = find(
    pairWord,
    pairStart[SENTENCE_START] as number,
    pairStart[SENTENCE_START + 1] as number,
    SENTENCE_START,
  );
  return Object.assign(model, { start: contextAfter(SENTENCE_START, first) });
}

/** Index of a word among ascending ones, -1 where it is not. */
function find(words: Uint16Array, from: number, to: number, word: number): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((words[middle] as number) < word) low = middle + 1;
    else high = middle;
  }
  return low < to && words[low] === word ? low : -1;
}
