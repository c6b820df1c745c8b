import type { Clock } from "#common/clock";

/** Between two looks, how many there are, and how many in a row without the line's audio mean that it is gone. */
const LOOK_MS = 2000;
const LOOKS = 9;
const MISSES = 3;

/**
 * Looks whether a phone line is still in its room once this side is back in it. A LiveKit server that was started anew
 * knows nobody: LiveKit SIP may come back without its audio, which this side's library does not notice, and nobody would
 * ever say that the caller is gone.
 */
export class LineCheck {
  readonly #clock: Clock;
  readonly #isThere: () => Promise<boolean>;
  readonly #onGone: () => void;
  #cancel: () => void = () => undefined;

  constructor(options: { clock: Clock; isThere: () => Promise<boolean>; onGone: () => void }) {
    this.#clock = options.clock;
    this.#isThere = options.isThere;
    this.#onGone = options.onGone;
  }

  /** Looks for a while, from now on. */
  begin(): void {
    this.#cancel();
    this.#look(0, 0);
  }

  stop(): void {
    this.#cancel();
  }

  #look(looks: number, misses: number): void {
    if (looks === LOOKS) return;
    let isOver = false;
    const cancel = this.#clock.after(LOOK_MS, () => {
      // A server that does not answer says nothing of the line.
      void this.#isThere().then(
        (isThere) => {
          if (isOver) return;
          const missed = isThere ? 0 : misses + 1;
          if (missed === MISSES) this.#onGone();
          else this.#look(looks + 1, missed);
        },
        () => {
          if (!isOver) this.#look(looks, misses);
        },
      );
    });
    this.#cancel = () => {
      isOver = true;
      cancel();
    };
  }
}
