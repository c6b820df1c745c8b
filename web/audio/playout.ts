/** Audio that plays without a gap: from this place of the stream, at this time of the clock. */
interface Stretch {
  fromSeconds: number;
  atSeconds: number;
}

/** Until the audio that is added now can sound: what is scheduled later than its time begins with a click. */
const LEAD_SECONDS = 0.05;

/** Where a stream is that plays while it comes in, on the clock that plays it. */
export class Playout {
  readonly #stretches: Stretch[] = [];
  #lengthSeconds = 0;
  #nextAtSeconds = 0;

  /** Seconds of audio so far. */
  get lengthSeconds(): number {
    return this.#lengthSeconds;
  }

  /** Takes audio that came now; gives when to play it: right after the audio before it, or soon where that has ended. */
  add(seconds: number, nowSeconds: number): number {
    const last = this.#stretches.at(-1);
    if (last === undefined || this.#nextAtSeconds < nowSeconds) {
      this.#nextAtSeconds = nowSeconds + LEAD_SECONDS;
      this.#stretches.push({ fromSeconds: this.#lengthSeconds, atSeconds: this.#nextAtSeconds });
    }
    const atSeconds = this.#nextAtSeconds;
    this.#nextAtSeconds += seconds;
    this.#lengthSeconds += seconds;
    return atSeconds;
  }

  /** The place of the stream that sounds now, seconds from its start. */
  positionAt(nowSeconds: number): number {
    const index = this.#stretches.findLastIndex(({ atSeconds }) => atSeconds <= nowSeconds);
    const stretch = this.#stretches[index];
    if (stretch === undefined) return 0;
    const endSeconds = this.#stretches[index + 1]?.fromSeconds ?? this.#lengthSeconds;
    return Math.min(endSeconds, stretch.fromSeconds + nowSeconds - stretch.atSeconds);
  }

  /** Whether everything so far has sounded. */
  hasPlayedAt(nowSeconds: number): boolean {
    return nowSeconds >= this.#nextAtSeconds;
  }
}
