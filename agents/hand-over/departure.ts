import type { Clock } from "#common/clock";
import { deferred } from "#common/deferred";

/** How long a runtime waits in the room for the one that follows; the caller types into an empty room after that. */
export const LONGEST_STAY_MS = 10_000;
/** The next runtime puts this one out once it has the backlog; one that does not may ask for it again meanwhile. */
const AFTER_BACKLOG_MS = 1500;

/** When a runtime leaves the room of a conversation that it has handed over. */
export class Departure {
  readonly #clock: Clock;
  readonly #due = deferred<void>();
  #cancel: () => void;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#cancel = clock.after(LONGEST_STAY_MS, () => this.now());
  }

  /** Resolves when it is time. */
  get due(): Promise<void> {
    return this.#due.promise;
  }

  /** The next runtime has asked for the backlog. */
  backlogRead(): void {
    this.#cancel();
    this.#cancel = this.#clock.after(AFTER_BACKLOG_MS, () => this.now());
  }

  /** Another runtime has put this one out, or there is nothing to stay for. */
  now(): void {
    this.#cancel();
    this.#due.resolve();
  }
}
