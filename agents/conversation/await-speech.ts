import { ServiceError } from "#protocol/errors";
import type { Clock } from "#common/clock";

/**
 * How long a conversation waits for a model that is away: a worker that starts again is mostly back by then. Whoever
 * talks already has more patience than whoever waits for the first word.
 */
const WAIT_MS = { new: 5000, underWay: 30_000 } as const;
const LOOK_AGAIN_MS = 250;

/** No recognizer, or no voice, that the conversation could use is loaded anywhere; the cause says which. */
export class SpeechUnavailable extends Error {
  override readonly name = "SpeechUnavailable";
}

/**
 * Gives what `find` finds, which looks for the models of a conversation and throws `no_worker` or `unknown_language`
 * where one is missing. Looks again for some seconds, more where the conversation is under way, as may turn out
 * meanwhile; then rejects with `SpeechUnavailable`. Rejects with whatever else `find` throws.
 */
export async function awaitSpeech<Speech>(
  clock: Clock,
  find: () => Promise<Speech>,
  isUnderWay: () => boolean,
): Promise<Speech> {
  for (const fromMs = clock.nowMs(); ; ) {
    try {
      return await find();
    } catch (error) {
      if (!(error instanceof ServiceError) || !["no_worker", "unknown_language"].includes(error.code)) throw error;
      if (clock.nowMs() - fromMs >= WAIT_MS[isUnderWay() ? "underWay" : "new"])
        throw new SpeechUnavailable(error.message, { cause: error });
    }
    await new Promise<void>((resolve) => void clock.after(LOOK_AGAIN_MS, resolve));
  }
}
