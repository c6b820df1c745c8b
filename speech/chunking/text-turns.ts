import { setImmediate as nextTurn } from "node:timers/promises";

/** Text of one client that is chunked in one turn of the event loop: it takes some milliseconds. */
const TURN_CHARACTERS = 8192;

/**
 * Spreads the text of one client over turns of the event loop, whether it comes in one frame or in hundreds at once.
 */
export class TextSlices {
  #used = 0;

  /** Hands a text to `take` in slices, in later turns where this one's share is used up; ends when `isOver`. */
  async spread(text: string, take: (slice: string) => void, isOver: () => boolean): Promise<void> {
    for (let at = 0; at < text.length; at += TURN_CHARACTERS) {
      const slice = text.slice(at, at + TURN_CHARACTERS);
      if (this.#used > 0 && this.#used + slice.length > TURN_CHARACTERS) {
        await nextTurn();
        this.#used = 0;
      }
      if (isOver()) return;
      this.#used += slice.length;
      take(slice);
    }
  }
}
