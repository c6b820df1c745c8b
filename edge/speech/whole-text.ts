import { ServiceError } from "#protocol/errors";
import { TextSlices } from "#speech/chunking/text-turns";
import type { SpokenRequest } from "./spoken-request.js";

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
  await new TextSlices().spread(
    text,
    (slice) => spoken.text(slice, arrivedAtMs),
    () => gone.aborted,
  );
  spoken.speakHeld(arrivedAtMs);
  if (spoken.pieces === 0) throw new ServiceError("nothing_to_speak");
  spoken.end(arrivedAtMs);
}
