import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cleanHistory, decideRestart, defaultRestartPolicy, type RestartHistory } from "./restart-policy.js";

function waitsOf(readyForMs: (number | null)[]): number[] {
  let history: RestartHistory = cleanHistory;
  return readyForMs.map((lived) => {
    const decision = decideRestart(history, lived, defaultRestartPolicy);
    history = decision.history;
    return decision.waitMs;
  });
}

describe("when a child that ended starts again", () => {
  it("restarts at once the first time, then doubles the wait up to ten seconds", () => {
    expect(waitsOf(Array.from({ length: 10 }, () => null))).toEqual([
      0, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000, 10_000,
    ]);
  });

  it("forgets earlier failures after a healthy life", () => {
    expect(waitsOf([null, null, null, 10_000, null])).toEqual([0, 200, 400, 0, 200]);
  });

  it("does not take a child for healthy that was ready for a moment only", () => {
    expect(waitsOf([50, 50, 9999])).toEqual([0, 200, 400]);
  });

  it("never waits longer than the longest wait, nor less than nothing", () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.nat(60_000)), { minLength: 1, maxLength: 1500 }), (lives) => {
        for (const wait of waitsOf(lives)) if (!(wait >= 0 && wait <= defaultRestartPolicy.longestWaitMs)) return false;
        return true;
      }),
      { numRuns: 30 },
    );
  });
});
