import { setImmediate as nextTurn } from "node:timers/promises";
import { ServiceError } from "#protocol/errors";
import type { SpokenRequest } from "../../speech/spoken-request.js";

/**
 * Text chunked in one turn of the event loop: a megabyte at once would hold other streams up for a tenth of a second.
 */
const SLICE_CHARACTERS = 8192;

/**
 * Feeds a whole text to a spoken request and ends it. Throws `nothing_to_speak` when no piece comes of it; stops when
 * `gone` aborts.
 */
export async function speakWholeText(
  spoken: SpokenRequest,
  text: string,
  arrivedAtMs: number,
  gone: AbortSignal,
): Promise<void> {
  for (let at = 0; at < text.length && !gone.aborted; at += SLICE_CHARACTERS) {
    if (at > 0) await nextTurn();
    spoken.text(text.slice(at, at + SLICE_CHARACTERS), arrivedAtMs);
  }
  spoken.speakHeld(arrivedAtMs);
  if (spoken.pieces === 0) throw new ServiceError("nothing_to_speak");
  spoken.end(arrivedAtMs);
}
