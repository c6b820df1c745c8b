import type { TextRange } from "../spoken-text.js";
import { acronym, isSpokenAcronym } from "./acronyms.js";
import { functionWord } from "./function-words.js";
import { homograph } from "./homographs.js";
import { type Accent, accents } from "./intonation.js";
import { spell } from "./letter-names.js";
import { LetterToSound } from "./letter-to-sound.js";
import { readLexiconFile } from "./lexicon-file.js";
import { asLabelled, isStressed, isVowel, type Phones, withS, withStress } from "./phones.js";
import { endsSentence, phrase } from "./phrasing.js";
import { type SpokenToken, tokensOf } from "./tokens.js";
import type { Neighbours } from "./word-class.js";
import { WordList } from "./word-list.js";
import { WordReader } from "./word-reader.js";

/** One symbol for the voice: a phone, a stress mark, a word boundary or a pause. */
export interface PronouncedSymbol {
  symbol: string;
  /** UTF-16 range of the word (or mark) in the text that was pronounced. */
  range: TextRange;
  /** Which of the text's words and marks it belongs to; -1 for the boundary between words. */
  tokenIndex: number;
  /** Added to the pitch that the voice would give it. */
  pitchSemitones: number;
  durationFactor: number;
}

type Word = Extract<SpokenToken, { kind: "word" }>;

/** Where a word stands. */
interface Place {
  tokens: readonly SpokenToken[];
  index: number;
  /** Of its sentence. */
  shouting: boolean;
  past: boolean;
  /** Whether the next word of the phrase begins with a vowel. */
  beforeVowel: boolean;
}

const pastTimes = new Set(["yesterday", "ago", "last", "earlier", "once"]);

/**
 * English text as the symbols that the voice reads: by a lexicon, rules for words that it lacks, and the words around.
 */
export class EnglishFrontEnd {
  readonly #reader: WordReader;

  constructor(reader: WordReader) {
    this.#reader = reader;
  }

  /** Reads a lexicon file (`models/parley-en/lexicon.bin`). Throws when it is none. */
  static load(path: string): EnglishFrontEnd {
    const file = readLexiconFile(path);
    return new EnglishFrontEnd(new WordReader(new WordList(file), new LetterToSound(file)));
  }

  /**
   * Pronounces a text in words. `isStarred` says of a range whether the writer marked it. Text without a Latin letter
   * or digit gives nothing.
   */
  pronounce(text: string, isStarred: (range: TextRange) => boolean = () => false): PronouncedSymbol[] {
    return this.read(text, isStarred).symbols;
  }

  /** Pronounces a text as `pronounce` does, and gives its words and marks too. */
  read(text: string, isStarred: (range: TextRange) => boolean): { tokens: SpokenToken[]; symbols: PronouncedSymbol[] } {
    const tokens = phrase(tokensOf(text));
    const shouting = shoutedSentences(tokens);
    const isEmphasized = (index: number): boolean => {
      const token = tokens[index];
      if (token?.kind !== "word") return false;
      return isStarred(token.range) || (shouting[index] === false && this.#isShouted(token));
    };
    const marks = accents(tokens, isEmphasized);
    const phones = this.#phonesOf(tokens, shouting);
    const symbols = tokens.flatMap((token, index) =>
      symbolsOf({ token, index, before: tokens[index - 1], phones: phones[index] ?? [], accent: marks[index] ?? null }),
    );
    return { tokens, symbols };
  }

  /** A word in capitals that is no acronym: "do NOT". */
  #isShouted({ text }: Word): boolean {
    const inCapitals = text.length > 1 && /^[A-Z']+$/.test(text) && emphatic(text) && !isSpokenAcronym(text);
    return inCapitals && acronym(text, this.#reader.isListed(text.toLowerCase()), false) === null;
  }

  /** From the end, because how "the" sounds depends on the word after it. */
  #phonesOf(tokens: readonly SpokenToken[], shouting: readonly boolean[]): Phones[] {
    const result: Phones[] = tokens.map(() => []);
    const past = pastSentences(tokens);
    for (let index = tokens.length - 1; index >= 0; index--) {
      const token = tokens[index];
      if (token?.kind !== "word") continue;
      const next = result[index + 1]?.[0];
      const [isShouted, isPast] = [shouting[index] ?? false, past[index] ?? false];
      result[index] = this.#read(token, {
        tokens,
        index,
        shouting: isShouted,
        past: isPast,
        beforeVowel: isVowel(next),
      });
    }
    return result;
  }

  #read(word: Word, place: Place): Phones {
    const { tokens, index, shouting, past, beforeVowel } = place;
    const lower = word.text.toLowerCase();
    const first = index === 0 || tokens[index - 1]?.kind === "pause";
    if (lower.length === 1 && (word.hyphenated || isLetterName(word.text, first || shouting)))
      return spell(lower) ?? [];
    const written = this.#asWritten(word.text, lower, shouting);
    if (written !== null) return written;
    const around: Neighbours = {
      beforeThat: lowerAt(tokens, index - 2),
      before: lowerAt(tokens, index - 1),
      after: lowerAt(tokens, index + 1),
      capital: !first && /^[A-Z][a-z]/.test(word.text),
      past,
    };
    const found = functionWord(lower, beforeVowel) ?? homograph(lower, around);
    if (found !== null) return found;
    const quoted = /^'|'$/.test(lower) && !this.#reader.isListed(lower);
    return this.#reader.read(quoted ? lower.replace(/^'|'$/g, "") : lower);
  }

  /** What capitals inside a word say: acronyms, their plurals, names like "iPhone". Null for ordinary words. */
  #asWritten(text: string, lower: string, shouting: boolean): Phones | null {
    if (!/[A-Z]/.test(text.slice(1))) return null;
    const listed = this.#reader.isListed(lower);
    if (/^[A-Z]+$/.test(text)) return acronym(text, listed, shouting);
    if (listed || text === text.toUpperCase()) return null;
    const plural = /^([A-Z]{2,})'?s$/.exec(text)?.[1];
    if (plural !== undefined) {
      const base = plural.toLowerCase();
      return withS(acronym(plural, this.#reader.isListed(base), false) ?? this.#reader.read(base));
    }
    const parts = text.match(/[A-Z]?[a-z']+|[A-Z]+(?![a-z])/g) ?? [];
    return parts.length < 2 ? null : parts.flatMap((part) => this.#part(part));
  }

  #part(part: string): Phones {
    const lower = part.toLowerCase();
    const spelled = lower.length === 1 || (part === part.toUpperCase() && part.length <= 4) ? spell(lower) : null;
    return spelled ?? withStress(this.#reader.read(lower));
  }
}

const shortEmphatic = new Set(
  "NO NOT YES ALL NOW NEW BIG BAD GO DO IS ARE CAN MY YOU ANY BUT AND SO TOO ONE TWO SEE WHY HOW WHO OUT OFF UP HE SHE".split(
    " ",
  ),
);

/** Small words that are written in capitals to stress them; other short ones in capitals are names or abbreviations. */
function emphatic(text: string): boolean {
  return text.length > 3 || shortEmphatic.has(text);
}

/** A lone letter is its name, but for "I" and the article. */
function isLetterName(text: string, startsPhrase: boolean): boolean {
  return !/^[aIi]$/.test(text) && !(text === "A" && startsPhrase);
}

function lowerAt(tokens: readonly SpokenToken[], index: number): string {
  const token = tokens[index];
  if (token?.kind === "pause" && token.mark === "|") return "";
  return token?.kind === "word" ? token.text.toLowerCase() : "";
}

/** For each token, whether its sentence is in capitals throughout. */
function shoutedSentences(tokens: readonly SpokenToken[]): boolean[] {
  const isShouted = (words: Word[]): boolean =>
    words.filter(({ text }) => text.length > 1).length > 1 && words.every(({ text }) => text === text.toUpperCase());
  return bySentence(tokens, isShouted);
}

function pastSentences(tokens: readonly SpokenToken[]): boolean[] {
  return bySentence(tokens, (words) => words.some(({ text }) => pastTimes.has(text.toLowerCase())));
}

function bySentence(tokens: readonly SpokenToken[], judge: (words: Word[]) => boolean): boolean[] {
  const verdicts: boolean[] = [];
  while (verdicts.length < tokens.length) {
    const rest = tokens.slice(verdicts.length);
    const end = rest.findIndex(endsSentence);
    const sentence = end < 0 ? rest : rest.slice(0, end + 1);
    const verdict = judge(sentence.filter((token): token is Word => token.kind === "word"));
    for (let i = 0; i < sentence.length; i++) verdicts.push(verdict);
  }
  return verdicts;
}

/** A token with what was found about it. */
interface ReadToken {
  token: SpokenToken;
  index: number;
  before: SpokenToken | undefined;
  phones: Phones;
  accent: Accent | null;
}

/** The token's symbols, single code points, with a word boundary before a word that follows another. */
function symbolsOf({ token, index, before, phones, accent }: ReadToken): PronouncedSymbol[] {
  const { range } = token;
  if (token.kind === "pause")
    return [{ symbol: token.mark, range, tokenIndex: index, pitchSemitones: 0, durationFactor: 1 }];
  const symbols: PronouncedSymbol[] = [];
  if (before?.kind === "word" && phones.length > 0) {
    const between = { start: before.range.end, end: Math.max(before.range.end, range.start) };
    symbols.push({ symbol: " ", range: between, tokenIndex: -1, pitchSemitones: 0, durationFactor: 1 });
  }
  const from = accent?.atEnd === true ? Math.max(0, phones.findLastIndex(isStressed)) : 0;
  for (const [i, phone] of asLabelled(phones).entries()) {
    const { pitchSemitones, durationFactor } =
      accent !== null && i >= from ? accent : { pitchSemitones: 0, durationFactor: 1 };
    for (const symbol of phone) symbols.push({ symbol, range, tokenIndex: index, pitchSemitones, durationFactor });
  }
  return symbols;
}
