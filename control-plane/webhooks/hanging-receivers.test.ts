import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { VirtualClock } from "#common/clock";
import type { AttemptOutcome } from "./delivery.js";
import { WebhookDispatcher } from "./dispatcher.js";
import { MemoryBook } from "./testing/memory-book.js";

const EPOCH_MS = Date.UTC(2026, 0, 1);
const STEP_MS = 25;
const ok: AttemptOutcome = { statusCode: 204, error: null };
const hung: AttemptOutcome = { statusCode: null, error: "timeout" };

/**
 * Longest that a delivery to a receiver that answers waits, with a fifth of each agent's receivers hanging, for as long
 * as hanging attempts still add up.
 */
async function longestWaitMs(load: {
  agents: number;
  deliveriesPerSecond: number;
  durationMs: number;
}): Promise<{ waitMs: number; arrived: number }> {
  const [clock, book] = [new VirtualClock(), new MemoryBook()];
  // As slow as the embedded database on a busy machine.
  book.speed = { clock, takeMs: 10, finishMs: 60 };
  const waits: number[] = [];
  const dispatcher = new WebhookDispatcher({
    ...{ book, clock, log: pino({ level: "silent" }), now: () => new Date(EPOCH_MS + clock.nowMs()) },
    send: ({ endpoint, sessionId }) => {
      const hangs = endpoint.startsWith("hangs");
      if (!hangs) waits.push(clock.nowMs() - Number(sessionId));
      return new Promise((resolve) => clock.after(hangs ? 10_000 : 5, () => resolve(hangs ? hung : ok)));
    },
  });
  const stepsPerEvent = (1000 * 5) / load.deliveriesPerSecond / STEP_MS;
  for (let step = 0; step * STEP_MS < load.durationMs; step++) {
    for (let event = Math.ceil(step / stepsPerEvent); event < (step + 1) / stepsPerEvent; event++) {
      const agent = event % load.agents;
      const names = Array.from(
        { length: 5 },
        (_, receiver) => `${receiver === 0 ? "hangs" : "answers"} ${agent} ${receiver}`,
      );
      for (const endpoint of names)
        book.add({ sessionId: `${step * STEP_MS}`, endpoint, atMs: EPOCH_MS + clock.nowMs() });
    }
    dispatcher.wake();
    clock.advance(STEP_MS);
    await new Promise((resolve) => setImmediate(resolve));
  }
  dispatcher.stop();
  return {
    waitMs: Math.max(...waits),
    arrived: waits.length / ((load.durationMs / 1000) * load.deliveriesPerSecond * 0.8),
  };
}

describe("receivers of one team that answer, beside those that hang", () => {
  it.each([
    { name: "200 deliveries a second", agents: 10, deliveriesPerSecond: 200, durationMs: 35_000 },
    {
      name: "400 deliveries a second, more than there are places for those that hang",
      agents: 20,
      deliveriesPerSecond: 400,
      durationMs: 30_000,
    },
  ])("wait less than a second: $name", async (load) => {
    const { waitMs, arrived } = await longestWaitMs(load);
    expect(arrived).toBeGreaterThan(0.99);
    expect(waitMs).toBeLessThan(500);
  });
});
