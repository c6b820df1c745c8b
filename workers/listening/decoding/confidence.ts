import type { FoundWord } from "./beam-search.js";

/** What is known of a word besides its sound. */
export interface WordTraits {
  /** Symbols of its shortest pronunciation. */
  symbols: number;
  /** Log probability by itself. */
  unigram: number;
}

/** Words to either side whose sound counts too: errors come in company. */
const NEIGHBOURS = 2;
/** Longer words are no surer. */
const MOST_SYMBOLS = 8;

/** Fitted (logistic regression) to right and wrong words of 115 clips of human speakers. */
const weights = { constant: 2.6, sound: 0.95, neighbours: 1.49, symbols: 0.45, unigram: 0.29 };

/**
 * How likely each word is right, 0 to 1: from how well its symbols and its neighbours' are heard (log score of the sound for each symbol),
 * its length and how common it is.
 */
export function wordConfidences(words: readonly FoundWord[], traitsOf: (word: number) => WordTraits): number[] {
  const traits = words.map(({ word }) => traitsOf(word));
  const heard = words.map(({ sound }, i) => sound / ((traits[i] as WordTraits).symbols + 1));
  return words.map((_, i) => {
    const around = heard.slice(Math.max(0, i - NEIGHBOURS), i + NEIGHBOURS + 1);
    const mean = around.reduce((sum, value) => sum + value, 0) / around.length;
    const { symbols, unigram } = traits[i] as WordTraits;
    const evidence =
      weights.constant +
      weights.sound * (heard[i] as number) +
      weights.neighbours * mean +
      weights.symbols * Math.min(symbols, MOST_SYMBOLS) +
      weights.unigram * unigram;
    return 1 / (1 + Math.exp(-evidence));
  });
}
