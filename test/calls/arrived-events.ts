import type { WebhookEventName } from "#protocol/webhooks";
import { until } from "../harness/processes.js";
import type { Receiver } from "../webhooks/receivers.js";

const ARRIVED_MS = 30_000;

/** What is not as it must be of the events of calls: each comes once, that of the dial first. */
export async function eventFaults(
  receiver: Receiver,
  calls: readonly { sessionId: string; hasBegun: boolean }[],
): Promise<string[]> {
  const faults: string[] = [];
  for (const { sessionId, hasBegun } of calls) {
    const wanted: WebhookEventName[] = ["phone_call.dial_finished", ...(hasBegun ? begunEvents : [])];
    const arrived = (): WebhookEventName[] =>
      receiver.receipts.filter(({ payload }) => payload.session.id === sessionId).map(({ payload }) => payload.event);
    await until(() => arrived().length >= wanted.length, { withinMs: ARRIVED_MS, what: "events" }).catch(() => null);
    if (arrived().join() !== wanted.join()) faults.push(`call ${sessionId}: its events are ${arrived().join(", ")}`);
  }
  return faults;
}

const begunEvents: readonly WebhookEventName[] = ["call.ended", "call.analyzed"];
