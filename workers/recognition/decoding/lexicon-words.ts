import { createBiasedVocabularies, type Vocabulary } from "../keyterms/biased-vocabulary.js";
import { createPronouncer } from "../keyterms/pronouncer.js";
import { createWordSearch, type Emissions, type SearchOptions } from "./beam-search.js";
import { wordConfidences, type WordTraits } from "./confidence.js";
import { createLanguageModel, type LanguageModel } from "./language-model.js";
import { buildLexicon } from "./lexicon.js";
import type { SpelledWord } from "./spelled-words.js";
import { FIRST_WORD_ID, type WordsFile, WordsFileProblem } from "./words-file.js";

/** Words less sure than this are left out: of human words next to none are, of those "heard" in noise nearly all. */
const LEAST_CONFIDENCE = 0.08;

/**
 * Finds words in the symbols of a recognizer whose symbols are speech sounds, those of `keyterms` more readily than
 * others; null when `stopped` said so.
 */
export type LexiconDecoder = (
  emissions: Emissions,
  stopped: () => boolean,
  keyterms?: readonly string[],
) => SpelledWord[] | null;

/**
 * Makes a decoder of a words file for a recognizer whose symbols have the names `symbols`. Throws `WordsFileProblem`
 * when the two do not fit.
 */
export function createLexiconDecoder(
  file: WordsFile,
  symbols: readonly string[],
  options: SearchOptions,
): LexiconDecoder {
  const strange = file.pronunciations.symbols.find((symbol) => symbol >= symbols.length || symbol === options.blank);
  if (strange !== undefined)
    throw new WordsFileProblem(`pronounces words with symbol ${strange}, which the tokens do not have or use as blank`);
  const model = createLanguageModel(file);
  const lexicon = buildLexicon(file, (word) => model.unigram(word));
  const plain: Vocabulary = {
    search: createWordSearch(lexicon, model, options),
    textOf: (word) => file.words[word] as string,
    traitsOf: traitsOfWords(file, model),
  };
  const vocabularyFor = createBiasedVocabularies({ file, lexicon, model, options, plain }, createPronouncer(symbols));
  return (emissions, stopped, keyterms = []) => {
    const { search, textOf, traitsOf } = keyterms.length === 0 ? plain : vocabularyFor(keyterms);
    const found = search(emissions, stopped);
    if (found === null) return null;
    const confidences = wordConfidences(found, traitsOf);
    return found.flatMap(({ word, startFrame, endFrame }, i) => {
      const confidence = confidences[i] as number;
      return confidence < LEAST_CONFIDENCE ? [] : [{ text: textOf(word), startFrame, endFrame, confidence }];
    });
  };
}

/** Gives what is known of each word of a file, by its place in the list. */
export function traitsOfWords(file: WordsFile, model: LanguageModel): (word: number) => WordTraits {
  const lengths = shortestPronunciations(file);
  return (word) => ({ symbols: lengths[word] as number, unigram: model.unigram(word + FIRST_WORD_ID) });
}

function shortestPronunciations({ words, pronunciations: { starts, wordOf } }: WordsFile): Uint8Array {
  const lengths = new Uint8Array(words.length).fill(255);
  for (const [i, word] of wordOf.entries()) {
    lengths[word] = Math.min(lengths[word] as number, (starts[i + 1] as number) - (starts[i] as number));
  }
  return lengths;
}
