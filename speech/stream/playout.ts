/** Speech rate assumed before any chunk is known in full, milliseconds of audio per character. */
const INITIAL_MS_PER_CHARACTER = 65;

/**
 * A model of the player: starts playing with the first audio, plays in real time, and resumes at once after running
 * dry. Also learns how long a character sounds, to guess how much audio is on its way.
 */
export class Playout {
  #endsAtMs = Number.NEGATIVE_INFINITY;
  #spokenMs = 0;
  #spokenCharacters = 0;

  /** Audio was given to the client. */
  given(durationMs: number, nowMs: number): void {
    this.#endsAtMs = Math.max(this.#endsAtMs, nowMs) + durationMs;
  }

  /** A chunk is known in full. */
  learn(characters: number, durationMs: number): void {
    this.#spokenCharacters += characters;
    this.#spokenMs += durationMs;
  }

  /** When the player runs out of audio; minus infinity before the first. */
  get endsAtMs(): number {
    return this.#endsAtMs;
  }

  /** Audio that the player has and has not played. */
  aheadMs(nowMs: number): number {
    return Math.max(0, this.#endsAtMs - nowMs);
  }

  estimateMs(characters: number): number {
    const rate = this.#spokenCharacters < 20 ? INITIAL_MS_PER_CHARACTER : this.#spokenMs / this.#spokenCharacters;
    return characters * rate;
  }
}
