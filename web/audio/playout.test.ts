import { expect, it } from "vitest";
import { Playout } from "./playout.js";

it("plays audio one after the other, however early it came", () => {
  const playout = new Playout();
  expect([playout.add(1, 10), playout.add(0.5, 10.1), playout.add(0.5, 10.2)]).toEqual([10.05, 11.05, 11.55]);
  expect(playout.lengthSeconds).toBe(2);
  expect([9, 10.05, 11.05, 11.8, 13].map((now) => Math.round(playout.positionAt(now) * 100) / 100)).toEqual([
    0, 0, 1, 1.75, 2,
  ]);
  expect([playout.hasPlayedAt(12), playout.hasPlayedAt(12.1)]).toEqual([false, true]);
});

it("stands still where audio came late, and goes on with it", () => {
  const playout = new Playout();
  playout.add(1, 0);
  expect(playout.add(1, 5)).toBe(5.05);
  expect([3, 5, 5.55].map((now) => Math.round(playout.positionAt(now) * 100) / 100)).toEqual([1, 1, 1.5]);
});
