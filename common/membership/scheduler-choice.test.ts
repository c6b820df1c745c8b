import { expect, it } from "vitest";
import type { Heartbeat } from "#protocol/bus/membership";
import { chooseScheduler } from "./scheduler-choice.js";

type SchedulerHeartbeat = Extract<Heartbeat, { role: "scheduler" }>;

const scheduler = (
  id: string,
  predictedWaitMs: number,
  changes: Partial<SchedulerHeartbeat> = {},
  slots = 2,
): SchedulerHeartbeat => ({
  type: "heartbeat",
  role: "scheduler",
  id,
  epoch: "e",
  state: "ready",
  loads: [{ model: "m", slots, freeSlots: slots, queuedChunks: 0, predictedWaitMs }],
  ...changes,
});
const choose = (
  schedulers: SchedulerHeartbeat[],
  keep: string | null = null,
  avoid: string | null = null,
  sent: [string, number][] = [],
): string | null => chooseScheduler({ schedulers, model: "m", keep, avoid, sentSinceHeartbeat: new Map(sent) });

it("takes the shortest predicted wait among those that are ready and serve the model", () => {
  expect(
    choose([
      scheduler("a", 9),
      scheduler("b", 3),
      scheduler("c", 0, { state: "draining" }),
      scheduler("d", 0, { loads: [] }),
      scheduler("e", 0, {}, 0),
    ]),
  ).toBe("b");
  expect(choose([])).toBeNull();
});

it("stays with a stream's scheduler while that one lives", () => {
  expect(choose([scheduler("a", 9), scheduler("b", 3)], "a")).toBe("a");
  expect(choose([scheduler("b", 3)], "a")).toBe("b");
});

it("avoids a scheduler that was silent unless it is the only one", () => {
  expect(choose([scheduler("a", 0), scheduler("b", 100)], "a", "a")).toBe("b");
  expect(choose([scheduler("a", 0)], "a", "a")).toBe("a");
});

it("spreads a burst between two heartbeats", () => {
  expect(choose([scheduler("a", 0), scheduler("b", 1)], null, null, [["a", 5]])).toBe("b");
});

it("compares queues, not waits, for work that nobody waits for", () => {
  const loads = (queuedChunks: number, slots: number) => [
    { model: "m", slots, freeSlots: 0, queuedChunks, predictedWaitMs: slots },
  ];
  const schedulers = [scheduler("a", 0, { loads: loads(10, 2) }), scheduler("b", 0, { loads: loads(16, 4) })];
  const by = (sent: [string, number][]): string | null =>
    chooseScheduler({
      schedulers,
      model: "m",
      keep: null,
      avoid: null,
      by: "backlog",
      sentSinceHeartbeat: new Map(sent),
    });
  expect(by([])).toBe("b");
  expect(by([["b", 5]])).toBe("a");
});
