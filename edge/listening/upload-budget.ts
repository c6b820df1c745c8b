import { ServiceError } from "#protocol/errors";
import type { Clock } from "#common/clock";

/** Requests that may wait for memory; they keep no more than the beginning of their body. */
const MAX_WAITING = 256;
/** How long one may wait. */
const MAX_WAIT_MS = 20_000;

interface Waiting {
  bytes: number;
  enter(): void;
}

/** Bounds the memory of the uploads that one process holds: who finds no room waits in order, with the client's sending held up. */
export class UploadBudget {
  readonly #clock: Clock;
  readonly #totalBytes: number;
  #takenBytes = 0;
  readonly #waiting = new Set<Waiting>();

  constructor(totalBytes: number, clock: Clock) {
    this.#totalBytes = totalBytes;
    this.#clock = clock;
  }

  /** Resolves with a function that gives the room back, once. Throws `overloaded` when there is none in time; rejects with the reason of `signal`. */
  take(bytes: number, signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      if (this.#waiting.size === 0 && this.#fits(bytes)) return resolve(this.#enter(bytes));
      if (this.#waiting.size >= MAX_WAITING) throw new ServiceError("overloaded");
      const waiting: Waiting = {
        bytes,
        enter: () => {
          stop();
          resolve(this.#enter(bytes));
        },
      };
      const giveUp = (reason: unknown): void => {
        stop();
        reject(reason);
      };
      const leave = (): void => giveUp(signal.reason);
      const cancelTimer = this.#clock.after(MAX_WAIT_MS, () => giveUp(new ServiceError("overloaded")));
      const stop = (): void => {
        cancelTimer();
        signal.removeEventListener("abort", leave);
        this.#waiting.delete(waiting);
      };
      signal.addEventListener("abort", leave, { once: true });
      this.#waiting.add(waiting);
    });
  }

  #fits(bytes: number): boolean {
    return this.#takenBytes === 0 || this.#takenBytes + bytes <= this.#totalBytes;
  }

  #enter(bytes: number): () => void {
    this.#takenBytes += bytes;
    let isGiven = false;
    return () => {
      if (isGiven) return;
      isGiven = true;
      this.#takenBytes -= bytes;
      for (const waiting of this.#waiting) {
        if (!this.#fits(waiting.bytes)) break;
        waiting.enter();
      }
    };
  }
}
