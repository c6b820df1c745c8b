import { createWordSearch, type SearchOptions, type WordSearch } from "../decoding/beam-search.js";
import type { WordTraits } from "../decoding/confidence.js";
import type { LanguageModel } from "../decoding/language-model.js";
import type { Lexicon } from "../decoding/lexicon.js";
import { FIRST_WORD_ID, type WordsFile } from "../decoding/words-file.js";
import { keytermLogProbability, withKeyterms, withLikelyKeyterms } from "./biased-search.js";
import { findKeyterms } from "./find-keyterms.js";
import type { Keyterm } from "./keyterm.js";
import type { Pronouncer } from "./pronouncer.js";

/** A search, and what is known of the words that it finds. */
export interface Vocabulary {
  search: WordSearch;
  textOf(word: number): string;
  traitsOf(word: number): WordTraits;
}

/** Vocabularies that wait for the next piece with the same keyterms; each takes a few megabytes. */
const MAX_WAITING = 4;

/** Gives the vocabulary for a list of words: `plain` where the list has none that need help, else one with keyterms. */
export function createBiasedVocabularies(
  base: { file: WordsFile; lexicon: Lexicon; model: LanguageModel; options: SearchOptions; plain: Vocabulary },
  pronounce: Pronouncer,
): (terms: readonly string[]) => Vocabulary {
  const { file, model, plain } = base;
  // In the order of their last use.
  const waiting = new Map<string, Vocabulary>();
  return (terms) => {
    const key = terms.join("\n");
    const vocabulary =
      waiting.get(key) ??
      biased(base, findKeyterms(terms, file, { unigram: (word) => model.unigram(word), pronounce })) ??
      plain;
    waiting.delete(key);
    waiting.set(key, vocabulary);
    const [oldest] = waiting.keys();
    if (waiting.size > MAX_WAITING && oldest !== undefined) waiting.delete(oldest);
    return vocabulary;
  };
}

function biased(
  { file, lexicon, model, options, plain }: Parameters<typeof createBiasedVocabularies>[0],
  keyterms: readonly Keyterm[],
): Vocabulary | null {
  if (keyterms.length === 0) return null;
  const count = file.words.length;
  const firstId = count + FIRST_WORD_ID;
  const keytermOf = (word: number): Keyterm => keyterms[word - count] as Keyterm;
  return {
    search: createWordSearch(
      withKeyterms(lexicon, keyterms, firstId),
      withLikelyKeyterms(model, keyterms, firstId),
      options,
    ),
    textOf: (word) => (word < count ? plain.textOf(word) : keytermOf(word).text),
    traitsOf: (word) => (word < count ? plain.traitsOf(word) : traitsOfKeyterm(keytermOf(word))),
  };
}

function traitsOfKeyterm(keyterm: Keyterm): WordTraits {
  const symbols = Math.min(...keyterm.pronunciations.map(({ length }) => length));
  return { symbols, unigram: keytermLogProbability(keyterm) };
}
