import type { LexiconFile } from "./lexicon-file.js";
import type { Phones } from "./phones.js";

/** Words with their phones, searched in the packed form: 126,000 words cost 1.7 MB and no time to load. */
export class WordList {
  readonly #file: LexiconFile;
  readonly #firstWords: string[];

  constructor(file: LexiconFile) {
    this.#file = file;
    this.#firstWords = Array.from(file.blockStarts, (at) =>
      file.words.toString("latin1", at + 2, at + 2 + (file.words[at + 1] ?? 0)),
    );
  }

  /** The usual pronunciation of a lower-case word, null when it is not listed. */
  find(word: string): Phones | null {
    let low = 0;
    let high = this.#firstWords.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#firstWords[middle] ?? "") <= word) low = middle;
      else high = middle - 1;
    }
    return this.#findInBlock(low, word);
  }

  /** All words, in order, with their phones. */
  *entries(): Generator<[string, Phones]> {
    for (let block = 0; block < this.#firstWords.length; block++) yield* this.#block(block);
  }

  /** Walks one block and compares as it goes: `matched` is how much of the wanted word the listed one begins with. */
  #findInBlock(block: number, word: string): Phones | null {
    const { words, blockStarts } = this.#file;
    let at = blockStarts[block] ?? 0;
    const end = blockStarts[block + 1] ?? words.length;
    let matched = 0;
    while (at < end) {
      const shared = words[at] ?? 0;
      const own = words[at + 1] ?? 0;
      if (shared < matched) return null;
      if (shared === matched) {
        let i = 0;
        while (i < own && words[at + 2 + i] === word.charCodeAt(matched + i)) i++;
        if (i === own && shared + own === word.length) return this.#phonesAt(at + 2 + own);
        matched += i;
      }
      at += 3 + own + (words[at + 2 + own] ?? 0);
    }
    return null;
  }

  #phonesAt(at: number): Phones {
    const { words, symbols } = this.#file;
    const count = words[at] ?? 0;
    return Array.from(words.subarray(at + 1, at + 1 + count), (code) => symbols[code] ?? "");
  }

  *#block(block: number): Generator<[string, Phones]> {
    const { words, blockStarts } = this.#file;
    const end = blockStarts[block + 1] ?? words.length;
    let word = "";
    for (let at = blockStarts[block] ?? 0; at < end; ) {
      const own = words[at + 1] ?? 0;
      word = word.slice(0, words[at]) + words.toString("latin1", at + 2, at + 2 + own);
      yield [word, this.#phonesAt(at + 2 + own)];
      at += 3 + own + (words[at + 2 + own] ?? 0);
    }
  }
}
