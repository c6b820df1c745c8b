/** Quieter than this is a pause: root mean square, 1 is full scale. */
const QUIET = 0.008;
/** A pause after speech ends a turn when it is this long. */
const PAUSE_SECONDS = 0.8;
/** A turn ends at this length at the latest, so that its words are final some time. */
const LONGEST_SECONDS = 20;

/** Finds where what somebody says into a microphone may be committed. */
export class Turn {
  #lengthSeconds = 0;
  #quietSeconds = 0;
  #hasSpeech = false;

  /** Takes a moment of audio; gives whether the turn ends after it. */
  add(loudness: number, seconds: number): boolean {
    this.#lengthSeconds += seconds;
    this.#quietSeconds = loudness < QUIET ? this.#quietSeconds + seconds : 0;
    this.#hasSpeech ||= loudness >= QUIET;
    const isOver = (this.#hasSpeech && this.#quietSeconds >= PAUSE_SECONDS) || this.#lengthSeconds >= LONGEST_SECONDS;
    if (isOver) [this.#lengthSeconds, this.#hasSpeech] = [0, false];
    return isOver;
  }
}
