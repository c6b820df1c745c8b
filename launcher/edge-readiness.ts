import { setTimeout as delay } from "node:timers/promises";

/** Longer than any role needs to be learned of by the others: they say that they are there four times a second. */
const WAIT_MS = 3000;
const ASK_AGAIN_MS = 20;

/**
 * Resolves when the edge says that it can serve (`GET /ready`): every role may be up and not yet known to it. An edge
 * that has not learned of all in three seconds says why by itself; one that cannot be reached is not waited for.
 */
export async function untilEdgeServes(baseUrl: string): Promise<void> {
  const untilMs = performance.now() + WAIT_MS;
  for (;;) {
    const answer = await fetch(`${baseUrl}/ready`, { signal: AbortSignal.timeout(WAIT_MS) }).catch(() => null);
    if (answer === null) return;
    await answer.body?.cancel();
    if (answer.ok || performance.now() >= untilMs) return;
    await delay(ASK_AGAIN_MS);
  }
}
