/** Audio that is later than this is missing: silence takes its place. Networks and busy processes delay it by less. */
export const LATE_MS = 250;
/** A longer gap is not filled up: after so much silence everything is known. */
const LONGEST_FILL_MS = 2000;

/**
 * Maps positions in a track of audio to the clock of who receives it. Audio comes in real time, a little early or late;
 * where it is missing for longer, silence is put in its place, and audio that comes in a burst afterwards is dated
 * back.
 */
export class AudioClock {
  /** When the audio's first sample came, as far as the latest audio tells. */
  #offsetMs: number | null = null;
  #audioMs = 0;

  /** Audio taken, with what was filled in. */
  get audioMs(): number {
    return this.#audioMs;
  }

  /** When what is at this position of the audio came. */
  toNowMs(audioMs: number): number {
    return (this.#offsetMs ?? 0) + audioMs;
  }

  /**
   * How much silence is missing before `durationMs` of audio that have just come; 0 where they are in time. With a
   * duration of 0, before now. What is said to be missing has to be taken.
   */
  missingMs(nowMs: number, durationMs: number): number {
    if (this.#offsetMs === null) return 0;
    const missingMs = nowMs - durationMs - this.toNowMs(this.#audioMs);
    if (missingMs < LATE_MS) return 0;
    // Of a long gap the end is filled, and the rest has never been.
    this.#offsetMs += Math.max(0, missingMs - LONGEST_FILL_MS);
    return Math.floor(Math.min(missingMs, LONGEST_FILL_MS));
  }

  /** Counts audio, or silence in its place, whose last sample came at `nowMs`. */
  take(nowMs: number, durationMs: number): void {
    this.#audioMs += durationMs;
    // Sooner than by the clock: the track is in fact ahead, and was late before.
    this.#offsetMs = Math.min(this.#offsetMs ?? Number.POSITIVE_INFINITY, nowMs - this.#audioMs);
  }
}
