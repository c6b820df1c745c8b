import type { TextRange } from "../../text/spoken-text.js";
import type { Tokenizer } from "./tokenizer.js";

/** Sentences are gathered up to so many tokens, as the model was trained; a longer one is spoken whole up to the most. */
const GATHERED_TOKENS = 50;
const MOST_TOKENS = 100;

const sentenceEnd = /[.!?…]["'”’)\]]*\s/g;
const clauseEnd = /[,;:–—]\s/g;

/** What the model speaks in one go. */
export interface TextPiece {
  /** Its place in the spoken text. */
  range: TextRange;
  /** What the tokens say: the piece as a sentence. */
  sentence: string;
  tokens: number[];
}

/** Cuts a text into what the model speaks in one go: after sentences, else after clauses, else between words. */
export function cutText(text: string, tokenizer: Tokenizer): TextPiece[] {
  const pieces: TextPiece[] = [];
  for (let from = 0; from < text.length; ) {
    const length = lengthOfPiece(text.slice(from), tokenizer);
    const range = { start: from, end: from + length };
    const sentence = asSentence(text.slice(range.start, range.end));
    if (sentence !== null) pieces.push({ range, sentence, tokens: tokenizer.encode(sentence).map(({ id }) => id) });
    from = range.end;
  }
  return pieces;
}

function lengthOfPiece(text: string, tokenizer: Tokenizer): number {
  // A token is at least a part of a character: what is behind is cut later.
  const window = text.slice(0, MOST_TOKENS * 16);
  const tokens = tokenizer.encode(window);
  if (tokens.length <= GATHERED_TOKENS && window.length === text.length) return text.length;
  const gathered = tokens[GATHERED_TOKENS]?.start ?? window.length;
  const most = Math.max(1, tokens[MOST_TOKENS]?.start ?? window.length);
  const sentences = placesOf(sentenceEnd, window);
  const whole = sentences.findLast((at) => at <= gathered) ?? sentences.find((at) => at <= most);
  if (whole !== undefined) return whole;
  if (tokens.length <= MOST_TOKENS && window.length === text.length) return text.length;
  const clause = placesOf(clauseEnd, window).findLast((at) => at <= most);
  return clause ?? placesOf(/\s/g, window).findLast((at) => at <= most) ?? most;
}

/** Ends of the matches. */
function placesOf(pattern: RegExp, text: string): number[] {
  return [...text.matchAll(pattern)].map((match) => match.index + match[0].length);
}

/** The piece as the model was trained to read: a capital first, a full stop at least; null when nothing would sound. */
function asSentence(text: string): string | null {
  const plain = text.normalize("NFKC").replace(/\s+/g, " ").trim();
  if (!/[\p{L}\p{N}\p{M}]/u.test(plain)) return null;
  const first = String.fromCodePoint(plain.codePointAt(0) ?? 0);
  const begun = first.toUpperCase() + plain.slice(first.length);
  return /[\p{L}\p{N}]$/u.test(begun) ? `${begun}.` : begun;
}
