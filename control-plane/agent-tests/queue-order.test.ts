import { describe, expect, it } from "vitest";
import { nextTeam, type TeamQueue } from "./queue-order.js";

const queue = (teamId: string, running: number, oldestMs: number | null): TeamQueue => ({
  ...{ teamId, running },
  oldestQueuedAt: oldestMs === null ? null : new Date(oldestMs),
});

describe("whose run is next", () => {
  it.each([
    ["nobody waits", [], 4, null],
    ["nobody waits, somebody runs", [queue("a", 2, null)], 4, null],
    ["one waits", [queue("a", 0, 5)], 1, "a"],
    ["all places are taken by others", [queue("a", 0, 5), queue("b", 2, null)], 2, null],
    ["one has none running, and came later", [queue("a", 1, 1), queue("b", 0, 9)], 4, "b"],
    ["both have as many running", [queue("a", 1, 9), queue("b", 1, 1)], 4, "b"],
    ["the one with fewer running waits for nothing", [queue("a", 3, 9), queue("b", 0, null)], 4, "a"],
  ] as const)("%s", (_, queues, concurrency, next) => {
    expect(nextTeam(queues, concurrency)).toBe(next);
  });
});
