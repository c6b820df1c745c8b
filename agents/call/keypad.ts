import type { Clock } from "#common/clock";

/** Between two digits of one entry. */
const PAUSE_MS = 2000;
/** Digits of one entry: longer ones are cut into several. */
const MOST_DIGITS = 64;

const digits = /^[0-9*#A-D]$/;

/** Puts the keys that a caller presses together to entries: up to a pause, or to a `#`, which ends one. */
export class Keypad {
  readonly #clock: Clock;
  readonly #onEntry: (keys: string) => void;
  #keys = "";
  #cancel: () => void = () => undefined;

  constructor(clock: Clock, onEntry: (keys: string) => void) {
    this.#clock = clock;
    this.#onEntry = onEntry;
  }

  press(key: string): void {
    if (!digits.test(key)) return;
    this.#cancel();
    this.#keys += key;
    if (key === "#" || this.#keys.length >= MOST_DIGITS) this.#enter();
    else this.#cancel = this.#clock.after(PAUSE_MS, () => this.#enter());
  }

  /** Ends; gives the keys of an entry that is not over. */
  close(): string {
    this.#cancel();
    const keys = this.#keys;
    this.#keys = "";
    return keys;
  }

  #enter(): void {
    const keys = this.#keys;
    this.#keys = "";
    this.#onEntry(keys);
  }
}

/** What the agent reads of an entry, as the caller's turn. */
export function entryText(keys: string): string {
  return `[keypad: ${keys}]`;
}
