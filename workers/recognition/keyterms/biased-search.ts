import type { LanguageModel } from "../decoding/language-model.js";
import { buildLexicon, joinLexicons, type Lexicon } from "../decoding/lexicon.js";
import { FIRST_WORD_ID, UNKNOWN_WORD } from "../decoding/words-file.js";
import type { Keyterm } from "./keyterm.js";

/**
 * The least log probability of a keyterm, whatever was said before it: about that of a common word. Chosen by
 * `npm run bench:keyterms`: higher, they are found where they are not said; lower, fewer are found.
 */
const LEAST_LOG_PROBABILITY = -5.1;
/** Short words are found by mistake more easily: this much less for each symbol that they lack. */
const SHORT_SYMBOLS = 4;
const SHORT_PENALTY = 1.5;

/** The least log probability of a keyterm. */
export function keytermLogProbability({ pronunciations }: Keyterm): number {
  const symbols = Math.min(...pronunciations.map(({ length }) => length));
  return LEAST_LOG_PROBABILITY - SHORT_PENALTY * Math.max(0, SHORT_SYMBOLS - symbols);
}

/**
 * Adds a second tree with the keyterms to a lexicon, beside the words that it has. Keyterm `k` gets the word id
 * `firstId + k`.
 */
export function withKeyterms(lexicon: Lexicon, keyterms: readonly Keyterm[], firstId: number): Lexicon {
  const all = keyterms.flatMap(({ pronunciations }, of) => pronunciations.map((symbols) => ({ symbols, of })));
  const starts = new Uint32Array(all.length + 1);
  for (const [i, { symbols }] of all.entries()) starts[i + 1] = (starts[i] as number) + symbols.length;
  const pronunciations = {
    symbols: Uint8Array.from(all.flatMap(({ symbols }) => [...symbols])),
    starts,
    wordOf: Uint16Array.from(all, ({ of }) => of),
  };
  const tree = buildLexicon({ pronunciations }, (id) => keytermLogProbability(keyterms[id - FIRST_WORD_ID] as Keyterm));
  return joinLexicons(lexicon, tree, firstId - FIRST_WORD_ID);
}

/**
 * A language model in which each keyterm, by its id from `firstId` on, is at least as likely as a common word. After
 * one that the model does not know, the next word has no context.
 */
export function withLikelyKeyterms(model: LanguageModel, keyterms: readonly Keyterm[], firstId: number): LanguageModel {
  const least = keyterms.map(keytermLogProbability);
  const ids = keyterms.map(({ word }) => word ?? UNKNOWN_WORD);
  const likely: LanguageModel = {
    start: model.start,
    unigram: (id) => (id < firstId ? model.unigram(id) : (least[id - firstId] as number)),
    logProbability: 0,
    next: 0,
    look(context, id) {
      const keyterm = id - firstId;
      model.look(context, keyterm < 0 ? id : (ids[keyterm] as number));
      likely.next = model.next;
      likely.logProbability =
        keyterm < 0
          ? model.logProbability
          : keyterms[keyterm]?.word === null
            ? (least[keyterm] as number)
            : Math.max(model.logProbability, least[keyterm] as number);
    },
  };
  return likely;
}
