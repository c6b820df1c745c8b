import { FORWARDED_CLAIM_MS, type ForwardedRequest, forwardedRequestSubject } from "#protocol/bus/control";
import type { Bus, Subscription } from "#common/bus/bus";
import type { Clock } from "#common/clock";
import type { Logger } from "#common/log";

/** How long a claim outlives its work: the answer is on its way by then, and is what the edge hears of first. */
const ANSWERED_MS = 1000;

/** Does the work of a forwarded request; one that takes long is claimed, so that its edge knows that it is not lost. */
export async function claimed<T>(
  { bus, clock, log }: { bus: Pick<Bus, "respond">; clock: Clock; log: Logger },
  { requestId }: Pick<ForwardedRequest, "requestId">,
  work: () => Promise<T>,
): Promise<T> {
  if (requestId === undefined) return await work();
  let claim: Subscription | null = null;
  const cancel = clock.after(FORWARDED_CLAIM_MS, () => {
    try {
      claim = bus.respond(forwardedRequestSubject(requestId), async () => ({}));
    } catch (error) {
      log.warn({ err: error }, "a request could not be claimed: the bus is closed");
    }
  });
  try {
    return await work();
  } finally {
    cancel();
    clock.after(ANSWERED_MS, () => claim?.unsubscribe());
  }
}
