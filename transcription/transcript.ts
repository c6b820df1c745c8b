import type { RecognizedWord } from "#protocol/transcription/chunk";
import type { TranscriptSegment } from "#protocol/transcription/request";

/** The words of one piece of a recording. Times count from the piece's first sample. */
export interface RecognizedSegment {
  startMs: number;
  words: readonly RecognizedWord[];
  /** BCP-47 language that they were recognized in. */
  language: string;
}

/** A pause of this length ends a phrase. */
const PHRASE_PAUSE_MS = 600;
/** Longer phrases are parted at their longest pause: about what fits a caption. */
const MAX_PHRASE_MS = 8000;

/**
 * The words of all pieces in the order of the audio; times count from its beginning. Pieces may come in any order, but
 * never overlap.
 */
export function mergeWords(segments: readonly Pick<RecognizedSegment, "startMs" | "words">[]): RecognizedWord[] {
  return segments
    .toSorted((a, b) => a.startMs - b.startMs)
    .flatMap(({ startMs, words }) =>
      words.map((word) => ({ ...word, startMs: word.startMs + startMs, endMs: word.endMs + startMs })),
    );
}

/** All that was said, as one text. */
export function textOf(words: readonly RecognizedWord[]): string {
  return words.map(({ text }) => text).join(" ");
}

/** A segment for each word. */
export function wordSegments(words: readonly RecognizedWord[]): TranscriptSegment[] {
  return words.map((word) => segmentOf([word]));
}

/** A segment for each phrase: words without a pause between them, and not too many of those. */
export function phraseSegments(words: readonly RecognizedWord[]): TranscriptSegment[] {
  const phrases: RecognizedWord[][] = [];
  let last: RecognizedWord | null = null;
  for (const word of words) {
    if (last !== null && word.startMs - last.endMs < PHRASE_PAUSE_MS) phrases.at(-1)?.push(word);
    else phrases.push([word]);
    last = word;
  }
  return phrases.flatMap(partLong).map(segmentOf);
}

function partLong(phrase: RecognizedWord[]): RecognizedWord[][] {
  const [first, last] = [phrase[0], phrase.at(-1)];
  if (first === undefined || last === undefined || phrase.length === 1 || last.endMs - first.startMs <= MAX_PHRASE_MS)
    return [phrase];
  let [at, longest] = [1, Number.NEGATIVE_INFINITY];
  for (let i = 1; i < phrase.length; i++) {
    const pauseMs = (phrase[i] as RecognizedWord).startMs - (phrase[i - 1] as RecognizedWord).endMs;
    // Of equal pauses the one nearest to the middle, so that no word is left alone.
    const middle = -Math.abs(i - phrase.length / 2);
    const better = pauseMs > longest || (pauseMs === longest && middle > -Math.abs(at - phrase.length / 2));
    if (better) [at, longest] = [i, pauseMs];
  }
  return [phrase.slice(0, at), phrase.slice(at)].flatMap(partLong);
}

function segmentOf(words: readonly RecognizedWord[]): TranscriptSegment {
  return { text: textOf(words), start: seconds(words[0]?.startMs ?? 0), end: seconds(words.at(-1)?.endMs ?? 0) };
}

/** Whole milliseconds, without the digits of binary fractions. */
const seconds = (ms: number): number => Math.round(ms) / 1000;
