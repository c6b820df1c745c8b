import type { WordTiming } from "#protocol/speech/chunk";
import type { SpokenText, TextRange } from "./spoken-text.js";

/** Something begins to sound at `atMs`; it is somewhere in `range` of the spoken text. */
export interface SpokenMark {
  range: TextRange;
  atMs: number;
}

/**
 * Letters, digits, what joins them inside a word, and the signs read with a number: "don't", "word-pair", "U.S.A",
 * "R&D", "$1,000.50", "5%".
 */
const wordPattern =
  /\p{Sc}?[\p{L}\p{N}\p{M}]+(?:(?:(?<=\p{N}),(?=\p{N})|['’.\-_@:/&])[\p{L}\p{N}\p{M}]+)*[%°\p{Sc}]?/gu;

/** Scripts that are written without spaces: what the engine marks is the best word there is. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/**
 * Turns an engine's marks into timings of source words, as they arrive. A word ends where the next begins: its timing
 * is known with the next mark or at the end. Marks inside one source word (a number read as several words) become one
 * timing.
 */
export class WordTimer {
  readonly #source: string;
  readonly #spoken: SpokenText;
  readonly #words: TextRange[];
  #open: { range: TextRange; startMs: number } | null = null;
  #lastEndMs = 0;

  constructor(source: string, spoken: SpokenText) {
    this.#source = source;
    this.#spoken = spoken;
    this.#words = [...source.matchAll(wordPattern)].map((match) => ({
      start: match.index,
      end: match.index + match[0].length,
    }));
  }

  /**
   * Takes the next mark; gives the word that it ended. Marks that go backwards in time are taken at the time before.
   */
  mark(mark: SpokenMark): WordTiming[] {
    const range = this.#sourceWord(this.#spoken.toSource(mark.range));
    if (range === null) return [];
    if (this.#open !== null && range.start <= this.#open.range.start) return [];
    const ended = this.#close(mark.atMs);
    this.#open = { range, startMs: Math.max(mark.atMs, this.#lastEndMs) };
    return ended;
  }

  /** The audio ends at `endMs`: gives the last word. */
  finish(endMs: number): WordTiming[] {
    const ended = this.#close(endMs);
    this.#open = null;
    return ended;
  }

  #close(endMs: number): WordTiming[] {
    if (this.#open === null) return [];
    const { range, startMs } = this.#open;
    const end = Math.max(startMs, endMs);
    this.#lastEndMs = end;
    return [
      {
        text: this.#source.slice(range.start, range.end),
        startMs,
        endMs: end,
        sourceStart: range.start,
        sourceEnd: range.end,
      },
    ];
  }

  #sourceWord(range: TextRange): TextRange | null {
    const piece = this.#source.slice(range.start, range.end);
    if (unspaced.test(piece)) return range;
    const word = this.#words.find((candidate) => candidate.end > range.start);
    return word === undefined || word.start >= Math.max(range.end, range.start + 1) ? null : word;
  }
}
