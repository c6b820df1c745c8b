/** Text without what cannot be spoken, and where each of its UTF-16 units came from. */
export interface CleanText {
  text: string;
  /** Source offset at which unit `i` of `text` begins. */
  sourceStart: Int32Array;
  /** Source offset just after the characters that unit `i` stands for, combining marks included. */
  sourceEnd: Int32Array;
}

/** Combining marks kept on one base: scripts that stack marks need up to four; more is decoration (zalgo). */
const MAX_MARKS = 4;

const replacements: ReadonlyMap<string, string> = new Map([
  ["\u2018", "'"],
  ["\u2019", "'"],
  ["\u201b", "'"],
  ["\u02bc", "'"],
  ["\u0060", "`"],
  ["\u2032", "'"],
  ["\u201c", '"'],
  ["\u201d", '"'],
  ["\u201e", '"'],
  ["\u201f", '"'],
  ["\u00ab", '"'],
  ["\u00bb", '"'],
  ["\u2033", '"'],
  ["\u2010", "-"],
  ["\u2011", "-"],
  ["\u2012", "-"],
  ["\u2212", "-"],
  ["\u2015", "\u2014"],
]);

/** Printable ASCII and line breaks: nothing to clean. */
const plainText = /^[\n\x20-\x7e]*$/;
const mark = /^\p{M}$/u;
const takesMarks = /^[\p{L}\p{M}]$/u;
const letter = /^\p{L}$/u;
const latin = /^\p{Script=Latin}$/u;
const unspeakable = /^[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\u{fe00}-\u{fe0f}\u{20e3}]$/u;
const picture = /^[\p{Extended_Pictographic}\p{Regional_Indicator}\p{Emoji_Modifier}]$/u;
const whitespace = /^[\s\u0085]$/u;
const joiners = new Set(["\u200c", "\u200d"]);

/**
 * Drops control, zero-width, unassigned and private characters, lone surrogates and surplus combining marks; an emoji
 * becomes a space, so that it still parts words. Full-width ASCII becomes ASCII; typographic quotes and hyphens become
 * plain ones when `plainQuotes`. Zero-width joiners stay after letters of other scripts than Latin, where they are
 * spelling. One pass over the text.
 */
export function cleanText(source: string, plainQuotes: boolean): CleanText {
  if (plainText.test(source)) return unchanged(source);
  const builder = new Builder(source.length);
  let previousIsLetter = false;
  for (let at = 0; at < source.length; ) {
    const code = source.codePointAt(at) ?? 0;
    const size = code > 0xffff ? 2 : 1;
    if (code >= 0x20 && code < 0x7f) {
      builder.push(source[at] ?? "", at, at + 1);
      previousIsLetter = false;
    } else {
      const character = source.slice(at, at + size);
      if (mark.test(character) && !unspeakable.test(character)) builder.mark(character, at + size);
      else if (whitespace.test(character))
        builder.push(character === "\u2028" || character === "\u2029" ? "\n" : character, at, at + size);
      else if (joiners.has(character) && previousIsLetter) builder.push(character, at, at + size);
      else if (picture.test(character) && character !== "\u00a9" && character !== "\u00ae" && character !== "\u2122") {
        builder.push(" ", at, at + size);
      } else if (!unspeakable.test(character)) builder.push(plain(character, code, plainQuotes), at, at + size);
      previousIsLetter =
        (letter.test(character) && !latin.test(character)) || (previousIsLetter && mark.test(character));
    }
    at += size;
  }
  return builder.finish();
}

function unchanged(source: string): CleanText {
  const sourceStart = new Int32Array(source.length);
  const sourceEnd = new Int32Array(source.length);
  for (let at = 0; at < source.length; at++) {
    sourceStart[at] = at;
    sourceEnd[at] = at + 1;
  }
  return { text: source, sourceStart, sourceEnd };
}

function plain(character: string, code: number, plainQuotes: boolean): string {
  if (code >= 0xff01 && code <= 0xff5e && plainQuotes) return String.fromCharCode(code - 0xfee0);
  return plainQuotes ? (replacements.get(character) ?? character) : character;
}

class Builder {
  readonly #parts: string[] = [];
  #start: Int32Array;
  #end: Int32Array;
  #length = 0;
  #marks = 0;
  readonly #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#start = new Int32Array(capacity);
    this.#end = new Int32Array(capacity);
  }

  push(character: string, start: number, end: number): void {
    this.#parts.push(character);
    this.#marks = 0;
    for (let unit = 0; unit < character.length && this.#length < this.#capacity; unit++) {
      this.#start[this.#length] = start;
      this.#end[this.#length] = end;
      this.#length++;
    }
  }

  /**
   * Composes a mark with a Latin base where Unicode has the letter, drops it where not; other scripts keep up to
   * `MAX_MARKS`.
   */
  mark(character: string, end: number): void {
    const base = this.#parts.at(-1);
    if (base === undefined || !takesMarks.test(base) || this.#marks >= MAX_MARKS) return;
    this.#marks++;
    const start = this.#start[this.#length - 1] ?? 0;
    if (base.length === 1 && (base < "\u0080" || latin.test(base))) {
      const composed = (base + character).normalize("NFC");
      if (composed.length === 1) this.#parts[this.#parts.length - 1] = composed;
      this.#end[this.#length - 1] = end;
      return;
    }
    const marks = this.#marks;
    this.push(character, start, end);
    this.#marks = marks;
  }

  finish(): CleanText {
    return {
      text: this.#parts.join(""),
      sourceStart: this.#start.subarray(0, this.#length),
      sourceEnd: this.#end.subarray(0, this.#length),
    };
  }
}
