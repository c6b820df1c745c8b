import { ServiceError } from "#protocol/errors";
import type { Clock } from "#common/clock";

/** An upload must bring its least rate averaged over this time. */
const WINDOW_MS = 10_000;

/**
 * Watches how fast a client sends. Only the time counts in which somebody waits for it: a client whose sending is held
 * up here is not slow.
 */
export class UploadPace {
  readonly #clock: Clock;
  readonly #bytesPerSecond: number;
  #waitedMs = 0;
  #bytes = 0;

  constructor(bytesPerSecond: number, clock: Clock) {
    this.#bytesPerSecond = bytesPerSecond;
    this.#clock = clock;
  }

  /** Waits for the next piece. Throws `upload_too_slow` as soon as a window has brought too little. */
  async wait(next: Promise<IteratorResult<Uint8Array>>): Promise<IteratorResult<Uint8Array>> {
    let sinceMs = this.#clock.nowMs();
    let cancelTimer: () => void = () => undefined;
    const tooSlow = new Promise<never>((_, reject) => {
      const endWindow = (): void => {
        if (this.#bytes * 1000 < this.#bytesPerSecond * WINDOW_MS) {
          return reject(new ServiceError("upload_too_slow", { parameters: { bytesPerSecond: this.#bytesPerSecond } }));
        }
        this.#bytes = 0;
        this.#waitedMs = 0;
        sinceMs = this.#clock.nowMs();
        cancelTimer = this.#clock.after(WINDOW_MS, endWindow);
      };
      cancelTimer = this.#clock.after(WINDOW_MS - this.#waitedMs, endWindow);
    });
    try {
      const piece = await Promise.race([next, tooSlow]);
      if (piece.done !== true) this.#bytes += piece.value.byteLength;
      return piece;
    } finally {
      cancelTimer();
      this.#waitedMs += this.#clock.nowMs() - sinceMs;
    }
  }
}
