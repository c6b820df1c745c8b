import type { RecognizedWord } from "#protocol/transcription/chunk";
import type { SpelledWord } from "./spelled-words.js";

/** From frames to times: length of a frame, and how much later than the truth a word's first and last symbols come. */
export interface WordClock {
  frameMs: number;
  startBiasMs: number;
  endBiasMs: number;
}

/** Gives words their times: inside the audio, in order, none before the end of the one before it. */
export function placeWords(words: readonly SpelledWord[], clock: WordClock, audioMs: number): RecognizedWord[] {
  const { frameMs, startBiasMs, endBiasMs } = clock;
  const inside = (ms: number): number => Math.min(audioMs, Math.max(0, ms));
  const placed = words.map(({ text, startFrame, endFrame, confidence }) => ({
    text,
    startMs: inside(startFrame * frameMs - startBiasMs),
    endMs: inside((endFrame + 1) * frameMs - endBiasMs),
    confidence: Math.round(confidence * 1000) / 1000,
  }));
  for (const [i, word] of placed.entries()) {
    const before = placed[i - 1];
    // The corrections of an end and of the next start may cross: the two meet in the middle.
    if (before !== undefined && word.startMs < before.endMs) {
      const meeting = Math.max(before.startMs, Math.round((word.startMs + before.endMs) / 2));
      [before.endMs, word.startMs] = [meeting, meeting];
    }
    word.endMs = Math.max(word.endMs, word.startMs);
  }
  return placed;
}
