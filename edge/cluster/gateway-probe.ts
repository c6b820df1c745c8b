import { answersAsLiveKit } from "#common/livekit/reachability";
import type { Clock } from "#common/clock";

/** Whether agents can talk: their rooms' server answers, does not, or there is none. */
export type GatewayState = "reachable" | "unreachable" | "none";

/** An answer holds so long: `/health` may be asked far more often than a server should be. */
const FRESH_MS = 5000;
const ANSWER_MS = 1000;

/** Gives what asks the LiveKit server how it does, at most once in `FRESH_MS`. */
export function gatewayProbe(url: string | null, clock: Clock): () => Promise<GatewayState> {
  let askedAtMs = Number.NEGATIVE_INFINITY;
  let answer: Promise<GatewayState> = Promise.resolve("none");
  return () => {
    if (url !== null && clock.nowMs() - askedAtMs >= FRESH_MS) {
      askedAtMs = clock.nowMs();
      answer = answersAsLiveKit(url, ANSWER_MS).then((isThere) => (isThere ? "reachable" : "unreachable"));
    }
    return answer;
  };
}
