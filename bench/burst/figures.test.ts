import { expect, it } from "vitest";
import { burstFigures } from "./figures.js";
import type { BurstOutcome } from "./messages.js";

const outcome = (change: Partial<BurstOutcome>): BurstOutcome => ({
  ...{ end: "spoken", firstAudioMs: 100, endedMs: 16_000, hasGap: false, hasRetryAfter: null, problem: null },
  ...change,
});
const refusal = (endedMs: number, hasRetryAfter: boolean | null): BurstOutcome =>
  outcome({ end: "refused", firstAudioMs: Number.NaN, endedMs, hasRetryAfter, problem: "full" });

it("counts what was begun, refused and broken, each with its own times", () => {
  const figures = burstFigures([
    [outcome({ firstAudioMs: 80 }), outcome({ firstAudioMs: 300, hasGap: true }), refusal(5, true), refusal(9, false)],
    [outcome({}), outcome({ end: "failed", problem: "the connection broke" }), refusal(7, true), refusal(6, true)],
  ]);
  expect(figures).toMatchObject({ asked: 8, begun: 3, refused: 4, failed: 1, withGap: 1, withRetryAfter: 3 });
  expect(figures).toMatchObject({ fewestBegun: 1, mostBegun: 2, problems: ["the connection broke"] });
  expect(figures.firstAudioMs).toMatchObject({ p50: 100, max: 300 });
  expect(figures.refusedMs).toMatchObject({ p50: 6, max: 9 });
});

it("does not count what a protocol has no place for", () => {
  expect(burstFigures([[refusal(5, null)]]).withRetryAfter).toBeNull();
});
