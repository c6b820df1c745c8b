import type { CleanText } from "./clean.js";

/** One word, number or symbol of the source with the punctuation around it. */
export interface Token {
  /** What is to be spoken, from the cleaned text; never empty. */
  core: string;
  /** Punctuation before and after, unread. */
  lead: string;
  trail: string;
  /** UTF-16 range of `core` in the source. */
  sourceStart: number;
  sourceEnd: number;
  /** True when a paragraph, heading or list item begins here. */
  startsBlock: boolean;
}

/** Symbols that are words when they stand alone between spaces. */
const standalone = new Set([
  "&",
  "+",
  "=",
  "@",
  "%",
  "<",
  ">",
  "±",
  "×",
  "÷",
  "≥",
  "≤",
  "≠",
  "≈",
  ">=",
  "<=",
  "!=",
  "==",
  "*",
  "/",
  "-",
  "–",
  "°",
  "©",
  "$",
  "€",
  "£",
  "¥",
  "₹",
]);

/** Signs that belong to the word they touch: "$5", "#tag", "-3", "C++", "5%". */
const prefixes = new Set("#@$€£¥₹+-±~≈<>≤≥=/.&©°√");
const suffixes = new Set("%‰°+#€$£¥₹¢");
const MAX_AFFIX = 3;

/** Words that lose their meaning without the apostrophe in front. */
const elisions = /^(?:tis|twas|em|til|cause|n)$/i;

const wordCharacter = /[\p{L}\p{N}\p{M}]/u;
const blockMarker = /^(?:#{1,6}|[-*+•·>–]|[◦▪‣])$/u;
const addressLike = /:\/\/|@|^["'(<[]{0,3}www\./i;

/** Splits cleaned text into tokens, in order. Link targets of Markdown (`[text](target)`) are left out. One pass. */
export function tokenize(clean: CleanText): Token[] {
  const tokens: Token[] = [];
  let startsBlock = false;
  let headingLine = false;
  let lineStart = true;
  let searched = 0;
  for (const chunk of clean.text.matchAll(/[^\s\u0085]+/gu)) {
    const newlines = countNewlines(clean.text, searched, chunk.index);
    searched = chunk.index + chunk[0].length;
    if (newlines > 0) lineStart = true;
    if (newlines > 1 || (newlines > 0 && headingLine)) startsBlock = true;
    if (newlines > 0) headingLine = false;
    if (lineStart && blockMarker.test(chunk[0])) {
      startsBlock = true;
      headingLine = chunk[0].startsWith("#");
      continue;
    }
    lineStart = false;
    for (const piece of splitChunk(chunk[0], chunk.index)) {
      const token = toToken(piece.text, piece.start, clean, startsBlock);
      if (token === null) {
        const previous = tokens.at(-1);
        if (previous !== undefined) previous.trail += boundedPunctuation(piece.text);
      } else {
        tokens.push(token);
        startsBlock = false;
      }
    }
  }
  return tokens;
}

/** Punctuation of a chunk that holds no word; only its first marks can matter. */
function boundedPunctuation(text: string): string {
  return text.slice(0, 8);
}

function countNewlines(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at++) if (text.charCodeAt(at) === 10) count++;
  return count;
}

interface Piece {
  text: string;
  start: number;
}

const simpleWord = /^[\p{L}\p{N}]*[.,!?;:]?$/u;

/**
 * Dashes, ellipses and brackets anywhere; other punctuation between letters; a stop before a capital ("end.Next"); a
 * dash after "pm".
 */
const separators =
  /[—…|[\]{}]+|--+|\.\.+|(?<=\p{L})[,;:!?()"]+(?=\p{L})|(?<=[\p{L}\p{N}])\((?=[\p{L}\p{N}])|(?<=\p{L})\.(?=\p{Lu}\p{Ll})|(?<=^[ap]m)[-–](?=\d)/gu;

/**
 * Parts of a chunk that are separate words though no space parts them: around dashes, ellipses, brackets, and
 * punctuation between letters.
 */
function splitChunk(chunk: string, start: number): Piece[] {
  const isWhole = chunk.length < 3 || simpleWord.test(chunk) || addressLike.test(chunk.slice(0, 256));
  if (isWhole) return withoutLinkTargets([{ text: chunk, start }]);
  const pieces: Piece[] = [];
  let from = 0;
  for (const separator of chunk.matchAll(separators)) {
    const end = separator.index + separator[0].length;
    pieces.push({ text: chunk.slice(from, end), start: start + from });
    from = end;
  }
  if (from < chunk.length) pieces.push({ text: chunk.slice(from), start: start + from });
  return withoutLinkTargets(pieces);
}

function withoutLinkTargets(pieces: Piece[]): Piece[] {
  if (!pieces.some((piece) => piece.text.includes("]"))) return pieces;
  return pieces.flatMap((piece, index) => {
    const close = piece.text.indexOf("](");
    if (close >= 0) return [{ text: piece.text.slice(0, close), start: piece.start }];
    const isTarget = piece.text.startsWith("(") && pieces[index - 1]?.text.endsWith("]") === true;
    return isTarget ? [{ text: piece.text.replace(/^\([^)]*\)?/, ""), start: piece.start }] : [piece];
  });
}

function toToken(text: string, offset: number, clean: CleanText, startsBlock: boolean): Token | null {
  let first = -1;
  let last = -1;
  for (let at = 0; at < text.length; at++) {
    if (isWordCharacter(text, at)) {
      if (first < 0) first = at;
      last = at;
    }
  }
  if (first < 0) {
    if (!standalone.has(text)) return null;
    first = 0;
    last = text.length - 1;
  } else {
    const [firstWord, lastWord] = [first, last];
    while (first > 0 && firstWord - first < MAX_AFFIX && prefixes.has(text[first - 1] ?? "")) first--;
    while (last + 1 < text.length && last - lastWord < MAX_AFFIX && suffixes.has(text[last + 1] ?? "")) last++;
    if (text[first - 1] === "'" && elisions.test(text.slice(first, last + 1))) first--;
  }
  return {
    core: text.slice(first, last + 1),
    lead: text.slice(Math.max(0, first - 8), first),
    trail: text.slice(last + 1, last + 9),
    sourceStart: clean.sourceStart[offset + first] ?? 0,
    sourceEnd: clean.sourceEnd[offset + last] ?? 0,
    startsBlock,
  };
}

function isWordCharacter(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code < 0x80) return (code >= 48 && code <= 57) || ((code | 32) >= 97 && (code | 32) <= 122);
  if (code >= 0xd800 && code <= 0xdfff) {
    const high = code >= 0xdc00 ? at - 1 : at;
    return wordCharacter.test(text.slice(high, high + 2));
  }
  return wordCharacter.test(text[at] ?? "");
}
