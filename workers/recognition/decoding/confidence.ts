import type { FoundWord } from "./beam-search.js";

/** What is known of a word besides its audio. */
export interface WordTraits {
  /** Symbols of its shortest pronunciation. */
  symbols: number;
  /** Log probability by itself. */
  unigram: number;
}

/** What speaks for a word being right. */
export interface WordEvidence {
  /** Log score of the word's audio for each symbol… */
  acoustic: number;
  /** …and its mean over the words around it: errors come in company. */
  neighbours: number;
  symbols: number;
  unigram: number;
}

const NEIGHBOURS = 2;
/** Longer words are no surer. */
const MOST_SYMBOLS = 8;

/** Fitted (logistic regression) to right and wrong words of human speakers: models/training/recognizer/fit_confidence.py. */
const weights = { constant: 3.97, acoustic: 0.89, neighbours: 1.43, symbols: 0.32, unigram: 0.29 };

/** How likely each word is right, 0 to 1. */
export function wordConfidences(words: readonly FoundWord[], traitsOf: (word: number) => WordTraits): number[] {
  return wordEvidence(words, traitsOf).map(({ acoustic, neighbours, symbols, unigram }) => {
    const sum =
      weights.constant +
      weights.acoustic * acoustic +
      weights.neighbours * neighbours +
      weights.symbols * symbols +
      weights.unigram * unigram;
    return 1 / (1 + Math.exp(-sum));
  });
}

/** From how well the symbols of each word and of its neighbours are recognized, its length and how common it is. */
export function wordEvidence(words: readonly FoundWord[], traitsOf: (word: number) => WordTraits): WordEvidence[] {
  const traits = words.map(({ word }) => traitsOf(word));
  const recognized = words.map(({ acoustic }, i) => acoustic / ((traits[i] as WordTraits).symbols + 1));
  return traits.map(({ symbols, unigram }, i) => {
    const around = recognized.slice(Math.max(0, i - NEIGHBOURS), i + NEIGHBOURS + 1);
    const neighbours = around.reduce((sum, value) => sum + value, 0) / around.length;
    return { acoustic: recognized[i] as number, neighbours, symbols: Math.min(symbols, MOST_SYMBOLS), unigram };
  });
}
