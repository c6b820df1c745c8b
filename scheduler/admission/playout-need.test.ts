import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { howMany } from "#common/testing/how-many";
import { dueAudioMs, type PlayoutNeed } from "./playout-need.js";

const need: PlayoutNeed = { nextMs: 1000, nextDueMs: 200, thenDueMs: 1200, remainingMs: 12_000, chunkMs: 4000 };

describe("what a player needs", () => {
  it("is nothing before its next chunk is due, then that chunk, then one after the other, up to the end", () => {
    const due = [199, 200, 1199, 1200, 5199, 5200, 60_000].map((horizonMs) => dueAudioMs(need, horizonMs));
    expect(due).toEqual([0, 1000, 1000, 5000, 5000, 9000, 12_000]);
  });

  it("goes on for as long as text is expected", () => {
    expect(dueAudioMs({ ...need, remainingMs: Number.POSITIVE_INFINITY }, 41_200)).toBe(45_000);
  });

  it("counts a first chunk that may wait for long from the time at which what follows it is needed", () => {
    expect(dueAudioMs({ ...need, nextDueMs: 3000 }, 1200)).toBe(5000);
  });

  it("never falls with the horizon, is never more than remains, and keeps up with the player", () => {
    const some = fc.record({
      nextMs: fc.integer({ min: 1, max: 9000 }),
      nextDueMs: fc.integer({ min: -5000, max: 9000 }),
      chunkMs: fc.integer({ min: 1, max: 9000 }),
      remainingMs: fc.integer({ min: 1, max: 60_000 }),
    });
    fc.assert(
      fc.property(some, fc.nat(20_000), fc.nat(20_000), (facts, horizonMs, moreMs) => {
        const one = { ...facts, thenDueMs: Math.max(0, facts.nextDueMs) + facts.nextMs };
        const due = dueAudioMs(one, horizonMs);
        expect(dueAudioMs(one, horizonMs + moreMs)).toBeGreaterThanOrEqual(due);
        expect(due).toBeLessThanOrEqual(one.remainingMs);
        expect(due).toBeGreaterThanOrEqual(Math.min(one.remainingMs, horizonMs - Math.max(0, one.nextDueMs)));
      }),
      { numRuns: howMany(1000) },
    );
  });
});
