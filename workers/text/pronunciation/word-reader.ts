import type { LetterToSound } from "./letter-to-sound.js";
import { bare, isStressed, type Phones, subordinate, transcribe, withEd, withS, withStress } from "./phones.js";
import type { WordList } from "./word-list.js";

/** Words kept with their phones. */
const MAX_CACHED = 8192;

/** Longest word that is taken apart; longer ones go to the letters at once. */
const MAX_ANALYSED = 28;

const prefixes: readonly (readonly [spelling: string, phones: Phones])[] = (
  [
    ["counter", "kˌᴡntɝ"],
    ["hyper", "hˌᴉpɝ"],
    ["inter", "ˌɪntɝ"],
    ["super", "sˌupɝ"],
    ["under", "ˌʌndɝ"],
    ["multi", "mˌʌlti"],
    ["micro", "mˌᴉkɹᴏ"],
    ["macro", "mˌækɹᴏ"],
    ["ultra", "ˌʌltɹə"],
    ["pseudo", "sˌudᴏ"],
    ["cyber", "sˌᴉbɝ"],
    ["anti", "ˌænti"],
    ["auto", "ˌɔtᴏ"],
    ["over", "ˌᴏvɝ"],
    ["semi", "sˌɛmi"],
    ["post", "pˌᴏst"],
    ["nano", "nˌænᴏ"],
    ["non", "nˌɑn"],
    ["out", "ˌᴡt"],
    ["pre", "pɹˌi"],
    ["mis", "mˌɪs"],
    ["sub", "sˌʌb"],
    ["dis", "dˌɪs"],
    ["un", "ˌʌn"],
    ["re", "ɹˌi"],
    ["de", "dˌi"],
    ["co", "kˌᴏ"],
  ] as const
).map(([spelling, phones]) => [spelling, transcribe(phones)]);

/** Endings that leave the stress where it is. */
const suffixes: readonly (readonly [spelling: string, phones: Phones])[] = (
  [
    ["lessness", "ləsnəs"],
    ["fulness", "fəlnəs"],
    ["ability", "əbˈɪləti"],
    ["ments", "mənts"],
    ["ment", "mənt"],
    ["ness", "nəs"],
    ["less", "ləs"],
    ["ful", "fəl"],
    ["ship", "ʃˌɪp"],
    ["hood", "hˌʊd"],
    ["like", "lˌᴉk"],
    ["wise", "wˌᴉz"],
    ["able", "əbəl"],
    ["ably", "əbli"],
    ["ish", "ɪʃ"],
    ["ism", "ˌɪzəm"],
    ["ist", "əst"],
    ["ingly", "ɪŋli"],
    ["ing", "ɪŋ"],
    ["ers", "ɝz"],
    ["er", "ɝ"],
    ["est", "əst"],
    ["ly", "li"],
    ["y", "i"],
  ] as const
).map(([spelling, phones]) => [spelling, transcribe(phones)]);

const contractions: readonly (readonly [ending: string, phones: Phones])[] = (
  [
    ["n't", "ənt"],
    ["'ll", "əl"],
    ["'re", "ɝ"],
    ["'ve", "əv"],
    ["'d", "d"],
    ["'m", "m"],
  ] as const
).map(([ending, phones]) => [ending, transcribe(phones)]);

/**
 * Gives every word of Latin letters a pronunciation: from the list, else from a listed word that it is made of, else
 * from its letters.
 */
export class WordReader {
  readonly #list: WordList;
  readonly #letters: LetterToSound;
  readonly #cached = new Map<string, Phones>();

  constructor(list: WordList, letters: LetterToSound) {
    this.#list = list;
    this.#letters = letters;
  }

  isListed(word: string): boolean {
    return this.#list.find(word) !== null;
  }

  /** Phones of a lower-case word; empty when nothing of it can be said. */
  read(word: string): Phones {
    const kept = this.#cached.get(word);
    if (kept !== undefined) return kept;
    const made =
      this.#list.find(word) ?? this.#analyse(word, 2) ?? withStress(this.#letters.read(word.replaceAll("'", "")));
    const oldest = this.#cached.keys().next();
    if (this.#cached.size >= MAX_CACHED && oldest.done === false) this.#cached.delete(oldest.value);
    this.#cached.set(word, made);
    return made;
  }

  /**
   * The parts of a word that is not listed: endings, prefixes, two words written as one. `depth` is how many more may
   * come off.
   */
  #analyse(word: string, depth: number): Phones | null {
    if (word.length > MAX_ANALYSED) return null;
    if (word.includes("'")) return this.#apostrophe(word);
    const known = (part: string): Phones | null =>
      this.#list.find(part) ?? (depth > 0 && part.length > 4 ? this.#analyse(part, depth - 1) : null);
    return (
      this.#inflected(word, known) ?? this.#suffixed(word, known) ?? this.#prefixed(word, known) ?? this.#compound(word)
    );
  }

  #apostrophe(word: string): Phones | null {
    const whole = (part: string): Phones => this.read(part);
    if (word.endsWith("'s")) return withS(whole(word.slice(0, -2)));
    if (word.endsWith("'")) return whole(word.slice(0, -1));
    for (const [ending, phones] of contractions) {
      if (!word.endsWith(ending) || word.length === ending.length) continue;
      const base = whole(word.slice(0, -ending.length));
      const last = bare(base.at(-1) ?? "");
      return ending === "'d" && (last === "t" || last === "d") ? [...base, "ə", "d"] : [...base, ...phones];
    }
    return null;
  }

  #inflected(word: string, known: (part: string) => Phones | null): Phones | null {
    const forms: [ending: string, add: (phones: Phones) => Phones][] = [
      ["s", withS],
      ["ed", withEd],
    ];
    for (const [ending, add] of forms) {
      if (!word.endsWith(ending) || word.endsWith("ss") || word.length < ending.length + 3) continue;
      for (const stem of stems(word, ending)) {
        const phones = known(stem);
        if (phones !== null) return add(phones);
      }
    }
    return null;
  }

  #suffixed(word: string, known: (part: string) => Phones | null): Phones | null {
    for (const [ending, phones] of suffixes) {
      if (!word.endsWith(ending) || word.length < ending.length + 3) continue;
      for (const stem of stems(word, ending)) {
        const base = known(stem);
        if (base === null) continue;
        return phones.some((phone) => phone.startsWith("ˈ")) ? [...subordinate(base), ...phones] : [...base, ...phones];
      }
    }
    return null;
  }

  #prefixed(word: string, known: (part: string) => Phones | null): Phones | null {
    for (const [beginning, phones] of prefixes) {
      if (!word.startsWith(beginning) || word.length < beginning.length + 4) continue;
      const base = known(word.slice(beginning.length));
      if (base !== null) return [...phones, ...base];
    }
    return null;
  }

  /** Two listed words, the later cut of equal ones first: the first part keeps the main stress. */
  #compound(word: string): Phones | null {
    for (let cut = word.length - 3; cut >= 3; cut--) {
      if (cut < 4 && word.length - cut < 5) continue;
      if (cut > 4 && word.length - cut < 4) continue;
      const first = this.#list.find(word.slice(0, cut));
      const second = first === null ? null : this.#list.find(word.slice(cut));
      if (first !== null && second !== null && first.some(isStressed)) return [...first, ...subordinate(second)];
    }
    return null;
  }
}

/** What a word may have been before its ending: as it is, with the lost e, without the doubled letter, with y for i. */
function stems(word: string, ending: string): string[] {
  const stem = word.slice(0, -ending.length);
  const found = [stem];
  const vowelEnding = /^[aeiy]/.test(ending);
  if (ending === "s" && /(?:[sxz]|ch|sh|o)e$/.test(stem)) found.unshift(stem.slice(0, -1));
  if (ending === "s" && stem.endsWith("ie")) found.unshift(`${stem.slice(0, -2)}y`);
  if (vowelEnding && !/^y/.test(ending)) found.unshift(`${stem}e`);
  if (vowelEnding && /([bdfglmnprtz])\1$/.test(stem)) found.unshift(stem.slice(0, -1));
  if (stem.endsWith("i")) found.push(`${stem.slice(0, -1)}y`);
  return found.filter((candidate) => candidate.length >= 3);
}
