import type { ReceivedFrame } from "../agents/rtc-caller.js";

/** Of full scale: what is louder is a voice. */
const AUDIBLE = 0.005;
/** Kept before the first and behind the last audible frame of a track. */
const MARGIN_FRAMES = 20;
const FRAME_SAMPLES = 160;
/** Put between two tracks for the recognizer, however long the silence was. */
const SEAM_FRAMES = 30;

/** The longest silence between two audible frames, milliseconds; null where fewer than two are audible. */
export function longestGapMs(frames: readonly ReceivedFrame[]): number | null {
  const times = frames.filter(({ loudness }) => loudness > AUDIBLE).map(({ atMs }) => atMs);
  if (times.length < 2) return null;
  return Math.max(...times.slice(1).map((atMs, index) => atMs - (times[index] ?? atMs)));
}

/**
 * What was heard, one track after the other, without the silence before and behind each: while one agent takes over
 * from another both are in the room, and frames of the silent one come between those of the other.
 */
export function receivedSamples(frames: readonly ReceivedFrame[]): Int16Array {
  const trackIds = [...new Set(frames.map(({ trackId }) => trackId))];
  const parts = trackIds
    .map((trackId) => voicedPart(frames.filter((frame) => frame.trackId === trackId)))
    .filter((part) => part.length > 0);
  parts.sort((a, b) => (a[0]?.atMs ?? 0) - (b[0]?.atMs ?? 0));
  const seam = new Int16Array(SEAM_FRAMES * FRAME_SAMPLES);
  const pieces = parts.flatMap((part) => [...part.map(({ samples }) => samples), seam]);
  const heard = new Int16Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    heard.set(piece, at);
    at += piece.length;
  }
  return heard;
}

function voicedPart(frames: ReceivedFrame[]): ReceivedFrame[] {
  const isAudible = ({ loudness }: ReceivedFrame): boolean => loudness > AUDIBLE;
  const first = frames.findIndex(isAudible);
  if (first === -1) return [];
  return frames.slice(Math.max(0, first - MARGIN_FRAMES), frames.findLastIndex(isAudible) + 1 + MARGIN_FRAMES);
}

/** How what was heard differs from what should have been. */
export interface WordDifference {
  lost: number;
  /** Words too many: said twice, or cut and said again. */
  extra: number;
  /** Heard as others. */
  changed: number;
}

/** Aligns two texts, word by word, with as few differences as there can be. */
export function compareWords(expected: readonly string[], heard: readonly string[]): WordDifference {
  const none: WordDifference = { lost: 0, extra: 0, changed: 0 };
  const errors = ({ lost, extra, changed }: WordDifference): number => lost + extra + changed;
  let row = Array.from({ length: heard.length + 1 }, (_, extra): WordDifference => ({ ...none, extra }));
  for (const [index, word] of expected.entries()) {
    const next: WordDifference[] = [{ ...none, lost: index + 1 }];
    for (const [column, other] of heard.entries()) {
      const [before = none, above = none, left = none] = [row[column], row[column + 1], next[column]];
      const candidates = [
        word === other ? before : { ...before, changed: before.changed + 1 },
        { ...above, lost: above.lost + 1 },
        { ...left, extra: left.extra + 1 },
      ];
      next.push(candidates.reduce((best, candidate) => (errors(candidate) < errors(best) ? candidate : best)));
    }
    row = next;
  }
  return row.at(-1) ?? none;
}
