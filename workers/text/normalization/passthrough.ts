import type { CleanText } from "./clean.js";
import type { NormalizedText, SpokenSpan } from "./span.js";

/** Scripts written without spaces between words. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Text handed to the word segmenter at once; its cost per character grows on long runs without spaces. */
const SEGMENTER_CHARACTERS = 512;

/** Text as written, white space collapsed; spans are words, found by dictionary in scripts without spaces. */
export function passThrough(clean: CleanText): NormalizedText {
  const parts: string[] = [];
  const spans: SpokenSpan[] = [];
  let length = 0;
  const segmenter = new Intl.Segmenter("und", { granularity: "word" });
  for (const chunk of clean.text.matchAll(/[^\s\u0085]+/gu)) {
    if (parts.length > 0) length += 1;
    for (const word of wordsOf(chunk[0], segmenter)) {
      const first = chunk.index + word.start;
      const last = chunk.index + word.end - 1;
      spans.push({
        spokenStart: length + word.start,
        spokenEnd: length + word.end,
        sourceStart: clean.sourceStart[first] ?? 0,
        sourceEnd: clean.sourceEnd[last] ?? 0,
      });
    }
    parts.push(chunk[0]);
    length += chunk[0].length;
  }
  return { spoken: parts.join(" "), spans };
}

function wordsOf(chunk: string, segmenter: Intl.Segmenter): { start: number; end: number }[] {
  if (!unspaced.test(chunk)) {
    const start = chunk.search(/[\p{L}\p{N}]/u);
    if (start < 0) return [{ start: 0, end: chunk.length }];
    let end = chunk.length;
    while (end > start && !/[\p{L}\p{N}\p{M}]/u.test(characterBefore(chunk, end)))
      end -= characterBefore(chunk, end).length;
    return [{ start, end }];
  }
  const words: { start: number; end: number }[] = [];
  for (let from = 0; from < chunk.length; ) {
    let to = Math.min(chunk.length, from + SEGMENTER_CHARACTERS);
    if (to < chunk.length && isLowSurrogate(chunk, to)) to--;
    for (const segment of segmenter.segment(chunk.slice(from, to))) {
      if (segment.isWordLike === true || /[\p{L}\p{N}]/u.test(segment.segment)) {
        words.push({ start: from + segment.index, end: from + segment.index + segment.segment.length });
      }
    }
    from = to;
  }
  return words;
}

function isLowSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}

function characterBefore(text: string, end: number): string {
  return text.slice(isLowSurrogate(text, end - 1) ? end - 2 : end - 1, end);
}
