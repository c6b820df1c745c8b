/** Someone who plays a stream as it arrives: when the audio runs out, and how often it did too early. */
export class Player {
  underruns = 0;
  stalledMs = 0;
  playedMs = 0;
  #startedAtMs: number | null = null;
  #silentFromMs = 0;

  get startedAtMs(): number | null {
    return this.#startedAtMs;
  }

  receive(audioMs: number, nowMs: number): void {
    if (this.#startedAtMs === null) {
      this.#startedAtMs = nowMs;
      this.#silentFromMs = nowMs;
    }
    if (nowMs > this.#silentFromMs) {
      this.underruns += 1;
      this.stalledMs += nowMs - this.#silentFromMs;
      this.#silentFromMs = nowMs;
    }
    this.#silentFromMs += audioMs;
    this.playedMs += audioMs;
  }

  /** Audio in hand; negative while silent. */
  bufferedMs(nowMs: number): number {
    return this.#silentFromMs - nowMs;
  }
}
