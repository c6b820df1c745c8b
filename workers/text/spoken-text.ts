import type { SpeechChunk } from "#protocol/speech/chunk";
import { detectLanguage } from "#common/text/language";
import { normalizeText } from "./normalization/index.js";

/** A range of UTF-16 units, end excluded. */
export interface TextRange {
  start: number;
  end: number;
}

/** What an engine reads aloud, and the way back from it to the source text. */
export interface SpokenText {
  /** The text to pronounce; emoji are blanks. */
  text: string;
  /** BCP-47 language to pronounce it in. */
  language: string;
  /** The source range that a range of `text` was made from. */
  toSource(range: TextRange): TextRange;
}

/**
 * Emoji and their joiners, which engines would otherwise read out by name. `\p{Emoji}` itself would hold the digits.
 */
const emoji =
  /(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\uFE0F|[\u{1F1E6}-\u{1F1FF}]|[\u{1F3FB}-\u{1F3FF}]|[\uFE0F\u200D\u20E3])+/gu;

/** C0 and C1 controls, lone surrogates and the like: a blank of the same length says the same. */
const unspeakable = /[\p{Cc}\p{Cs}\p{Co}\uFFFD]/gu;

/**
 * Makes a chunk's text speakable: settles its language, reads numbers and abbreviations out where the chunk asks for
 * it.
 */
export function spokenText(chunk: Pick<SpeechChunk, "text" | "normalize" | "voice">): SpokenText {
  const language = chunk.voice.language ?? detectLanguage(chunk.text);
  if (!chunk.normalize || !/^en(-|$)/i.test(language)) {
    return { text: blankOut(chunk.text), language, toSource: (range) => range };
  }
  const { spoken, spans } = normalizeText(chunk.text, language);
  const find = (offset: number): number => {
    let low = 0;
    let high = spans.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((spans[middle]?.spokenStart ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  };
  const toSource = (range: TextRange): TextRange => {
    const first = spans[find(range.start)];
    const last = spans[find(Math.max(range.start, range.end - 1))];
    if (first === undefined || last === undefined) return { start: 0, end: chunk.text.length };
    const unchanged = (span: typeof first): boolean =>
      spoken.slice(span.spokenStart, span.spokenEnd) === chunk.text.slice(span.sourceStart, span.sourceEnd);
    const start = unchanged(first)
      ? first.sourceStart + Math.max(0, range.start - first.spokenStart)
      : first.sourceStart;
    const end = unchanged(last)
      ? last.sourceStart + Math.min(last.spokenEnd, range.end) - last.spokenStart
      : last.sourceEnd;
    return { start, end: Math.max(start, end) };
  };
  return { text: blankOut(spoken), language, toSource };
}

function blankOut(text: string): string {
  const blank = (match: string): string => " ".repeat(match.length);
  return text.replace(emoji, blank).replace(unspeakable, blank);
}
