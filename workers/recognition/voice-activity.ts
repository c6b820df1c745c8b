/**
 * Speech moves: even below noise of its own strength its loud frames rise this many nats above the quiet ones. Steady
 * noise stays below 0.58.
 */
const LEAST_MOVEMENT_NATS = 0.62;

/** Frames that must be loud, so that a click is not taken for a word: this many, less in short pieces. */
const LOUD_FRAMES = 10;
const LOUD_SHARE = 0.05;
const QUIET_SHARE = 0.1;

/**
 * True when a piece may hold speech: its levels (mean log energy over the bands, in nats, frame by frame) move.
 * Silence, hum and noise of any colour do not, however loud; recognizers that level out loudness would find words in
 * them.
 */
export function mayHoldSpeech(levels: Float32Array): boolean {
  if (levels.length === 0) return false;
  const sorted = levels.slice().sort();
  const quiet = sorted[Math.floor(levels.length * QUIET_SHARE)] as number;
  const loud = sorted[
    levels.length - Math.max(1, Math.min(LOUD_FRAMES, Math.ceil(levels.length * LOUD_SHARE)))
  ] as number;
  return loud - quiet >= LEAST_MOVEMENT_NATS;
}
