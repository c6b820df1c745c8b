import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { VirtualClock } from "#common/clock";
import { LineCheck } from "./line-check.js";

/** Looks, of which each is answered as `answers` says; the last answer stays. */
async function gone(answers: (boolean | "away")[], stopsAfterMs = 60_000): Promise<boolean> {
  const clock = new VirtualClock();
  let [looks, isGone] = [0, false];
  const check = new LineCheck({
    clock,
    async isThere() {
      const answer = answers[Math.min(looks++, answers.length - 1)];
      if (answer === "away") throw new Error("no answer");
      return answer === true;
    },
    onGone: () => {
      isGone = true;
    },
  });
  check.begin();
  for (let passedMs = 0; passedMs < 60_000; passedMs += 500) {
    if (passedMs === stopsAfterMs) check.stop();
    clock.advance(500);
    await nextTurn();
  }
  return isGone;
}

it("a line is gone that is missed three times in a row after its room was found again", async () => {
  expect(await gone([true, false, false, false])).toBe(true);
  expect(await gone([true, false, false, true])).toBe(false);
  // A server that is away says nothing.
  expect(await gone(["away", "away", "away", "away", true])).toBe(false);
  expect(await gone([false], 5000)).toBe(false);
});
