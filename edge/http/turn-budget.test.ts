import { describe, expect, it } from "vitest";
import { TurnBudget } from "./turn-budget.js";

/** A budget in virtual time: `cost` passes with each task, `turn` ends a turn of the event loop. */
function bench() {
  let now = 0;
  const deferred: (() => void)[] = [];
  const done: number[] = [];
  const budget = new TurnBudget(
    () => now,
    (callback) => void deferred.push(callback),
  );
  return {
    budget,
    done,
    deferred,
    add: (index: number, costMs = 0) =>
      budget.run(() => {
        now += costMs;
        done.push(index);
      }),
    turn: () => {
      for (const callback of deferred.splice(0)) callback();
    },
  };
}

describe("a turn's budget", () => {
  it("runs what fits at once, and the rest in later turns, in order", () => {
    const { add, turn, done, deferred } = bench();
    for (let index = 0; index < 200; index++) add(index);
    expect(done).toHaveLength(64);
    turn();
    expect(done).toHaveLength(128);
    add(200);
    expect(done).toHaveLength(128);
    turn();
    turn();
    expect(done).toEqual(Array.from({ length: 201 }, (_, index) => index));
    turn();
    expect(deferred).toHaveLength(0);
  });

  it("counts time as well as tasks", () => {
    const { add, turn, done } = bench();
    for (let index = 0; index < 10; index++) add(index, 4);
    expect(done).toHaveLength(3);
    turn();
    expect(done).toHaveLength(6);
  });

  it("starts every turn afresh", () => {
    const { add, turn, done } = bench();
    for (let round = 0; round < 10; round++) {
      for (let index = 0; index < 64; index++) add(index);
      turn();
    }
    expect(done).toHaveLength(640);
  });
});
