import {
  clusterStart,
  isCloser,
  isConjunction,
  isExtending,
  isHighSurrogate,
  isLowSurrogate,
  isNarrowClauseMark,
  isNarrowSentenceMark,
  isSpace,
  isSpeakable,
  isUnspacedScript,
  isWideClauseMark,
  isWideSentenceMark,
  judgeEnd,
  opensSentence,
} from "./boundaries.js";
import type { CutLimits } from "./pace.js";

/** A cut that `step` decided: how much of the text it takes, and whether a sentence ended there. */
export interface Cut {
  length: number;
  sentenceEnd: boolean;
}

/** A stretch without letters or digits longer than this is dropped: it will never be spoken. */
const MAX_SILENT_CHARACTERS = 256;
/** A word longer than the limit is cut by force after this multiple of it. */
const FORCED_CUT_FACTOR = 2;
/** A letter with more marks than this is cut as well, or hostile text would be held for ever. */
const MAX_WHOLE_CLUSTER = 100;
const MAX_REMEMBERED_WORD = 32;
/** Shorter words mostly belong to the next one: articles, prepositions, pronouns, in many languages. */
const SHORTEST_CLOSING_WORD = 4;

/**
 * Looks at one character at a time and says when the text so far is to be cut. What it decides depends on the
 * characters alone. Candidates for a cut are indices into `text`; -1 is none. They count only when something speakable
 * comes before them.
 */
export class Cutter {
  text = "";
  #limits: CutLimits;
  #word = "";
  #wordStart = 0;
  #firstWordSeen = false;
  #speakable = false;
  /** The run of sentence marks and closers at the end of the text, and the word before it. */
  #marks = "";
  #markedWord = "";
  #markedOpens = false;
  /** A sentence end that counts only if the next word begins with a capital. */
  #pendingEnd = -1;
  #sentence = -1;
  #clause = -1;
  #conjunction = -1;
  /** The end of the last word, and of the last one that a piece may well end with. */
  #space = -1;
  #closingWord = -1;

  constructor(limits: CutLimits) {
    this.#limits = limits;
  }

  get speakable(): boolean {
    return this.#speakable;
  }

  /**
   * Takes one UTF-16 unit; gives the cut it brings about. `sentenceCuts` makes every sentence end cut, however short
   * the text.
   */
  step(character: string, sentenceCuts: boolean): Cut | null {
    const at = this.text.length;
    if (at === 0 && isSpace(character)) return null;
    const sentenceBefore = this.#sentence;
    this.#noteBefore(character, at);
    this.text += character;
    this.#noteAfter(character, at);
    const limits = this.#limits;
    const sentenceSeen = this.#sentence !== sentenceBefore;
    if (sentenceSeen && (sentenceCuts || this.#sentence >= limits.sentenceMin))
      return { length: this.#sentence, sentenceEnd: true };
    if (this.#clause >= limits.clauseMin) return { length: this.#clause, sentenceEnd: false };
    if (this.text.length > limits.max) return this.#overflow(character);
    return null;
  }

  /**
   * The finished sentences at the end of the text so far, when no more text may come soon; null when the last word may
   * go on.
   */
  finished(): Cut | null {
    const ends =
      this.#marks !== "" && judgeEnd(this.#markedWord, this.#marks, this.#markedOpens) !== "no"
        ? this.text.trimEnd().length
        : -1;
    const length = Math.max(this.#sentence, this.#pendingEnd, ends);
    return length > 0 && this.#speakable ? { length, sentenceEnd: true } : null;
  }

  /** The best place for a cut in the text so far, where nothing more is waited for; null when it has none. */
  bestSoFar(): Cut | null {
    return this.#bestBelow(this.text.length);
  }

  /** What the character says about the place before it. */
  #noteBefore(character: string, at: number): void {
    const space = isSpace(character);
    if (this.#marks !== "" && !isNarrowSentenceMark(character) && !isCloser(character)) {
      if (space) this.#confirmEnd(at);
      else this.#marks = "";
    }
    if (!space && this.#pendingEnd >= 0) {
      if (opensSentence(character)) this.#sentence = this.#pendingEnd;
      if (!isCloser(character)) this.#pendingEnd = -1;
    }
    if (!space && !isCloser(character) && this.#wideEnd(at)) this.#sentence = at;
    if (!this.#speakable) return;
    const before = this.text.charAt(at - 1);
    if (space && isNarrowClauseMark(before)) this.#clause = at;
    if (isWideClauseMark(before)) this.#clause = at;
    if (character === "\n" && !isSpace(before)) this.#clause = at;
    if (space) {
      if (isConjunction(this.#word) && this.#wordStart > 0) this.#conjunction = this.#wordStart;
      this.#space = at;
      if (this.#word.length >= SHORTEST_CLOSING_WORD) this.#closingWord = at;
    } else this.#noteUnspaced(character, at);
  }

  /** Text without spaces may be parted before the character, which may be a pair: its second half decides. */
  #noteUnspaced(character: string, at: number): void {
    if (isHighSurrogate(character)) return;
    const first =
      isLowSurrogate(character) && isHighSurrogate(this.text.charAt(at - 1)) ? this.text.charAt(at - 1) : "";
    const start = at - first.length;
    if (start > 0 && isUnspacedScript(this.text.charAt(start - 1)) && !isExtending(first + character))
      this.#space = this.#closingWord = start;
  }

  /** What the character says about the word it belongs to. */
  #noteAfter(character: string, at: number): void {
    if (!this.#speakable) this.#noteSilence(character, at);
    if (isSpace(character)) {
      if (this.#word !== "") this.#firstWordSeen = true;
      this.#word = "";
      this.#wordStart = at + 1;
      if (character === "\n" && this.#speakable && /\n[^\S\n]*\n$/.test(this.text.slice(-8)))
        this.#sentence = this.text.trimEnd().length;
      return;
    }
    if (isNarrowSentenceMark(character)) {
      if (this.#marks === "") {
        this.#markedWord = this.#word;
        this.#markedOpens = !this.#firstWordSeen;
      }
      this.#marks += this.#marks.length < MAX_REMEMBERED_WORD ? character : "";
    } else if (isCloser(character) && this.#marks !== "") {
      this.#marks += this.#marks.length < MAX_REMEMBERED_WORD ? character : "";
    }
    if (this.#word.length < MAX_REMEMBERED_WORD) this.#word += character;
  }

  #noteSilence(character: string, at: number): void {
    const whole = isHighSurrogate(this.text.charAt(at - 1)) ? this.text.charAt(at - 1) + character : character;
    this.#speakable = isSpeakable(whole);
    if (!this.#speakable && this.text.length > MAX_SILENT_CHARACTERS) {
      // Whether the first half of a pair belongs to a letter is not known yet.
      this.text = isHighSurrogate(character) ? character : "";
      this.#word = "";
      this.#wordStart = 0;
    }
  }

  #confirmEnd(at: number): void {
    const certainty = judgeEnd(this.#markedWord, this.#marks, this.#markedOpens);
    this.#marks = "";
    if (!this.#speakable) return;
    if (certainty === "certain") this.#sentence = at;
    if (certainty !== "if-capital") return;
    this.#pendingEnd = at;
    this.#clause = at;
  }

  /** Whether the text up to `at` ends with a wide sentence mark and its closing quotes. */
  #wideEnd(at: number): boolean {
    if (!this.#speakable) return false;
    let end = at;
    while (end > 0 && at - end < 8 && isCloser(this.text.charAt(end - 1))) end--;
    return isWideSentenceMark(this.text.charAt(end - 1));
  }

  /**
   * The text has outgrown its limit: takes the best place it has, sentence before clause before conjunction before
   * word.
   */
  #overflow(character: string): Cut | null {
    const { max } = this.#limits;
    const best = this.#bestBelow(max);
    if (best !== null) return best;
    return this.#speakable && this.text.length > max * FORCED_CUT_FACTOR ? this.#forced(character) : null;
  }

  /** A clause of a third of `length` is worth a cut; a word's end is where there is nothing else. */
  #bestBelow(length: number): Cut | null {
    const worthwhile = length / 3;
    if (this.#sentence > 0) return { length: this.#sentence, sentenceEnd: true };
    if (this.#clause >= worthwhile) return { length: this.#clause, sentenceEnd: false };
    if (this.#conjunction >= worthwhile) return { length: this.#conjunction, sentenceEnd: false };
    const word = this.#closingWord >= length / 2 ? this.#closingWord : this.#space;
    const plain = Math.max(word, this.#clause, this.#conjunction);
    return plain > 0 ? { length: plain, sentenceEnd: false } : null;
  }

  /**
   * There is no good place: cuts before the character as people see it that is not over, or inside it when it is too
   * long for any piece.
   */
  #forced(character: string): Cut | null {
    const last = this.text.length - 1;
    const before = this.text.charAt(last - 1);
    if (isHighSurrogate(character) && !isHighSurrogate(before)) return null;
    const start = clusterStart(this.text, last);
    const isWhole = start > 0 && last - start < MAX_WHOLE_CLUSTER;
    const inside = isLowSurrogate(character) && isHighSurrogate(before) ? last - 1 : last;
    return { length: isWhole ? start : inside, sentenceEnd: false };
  }
}
