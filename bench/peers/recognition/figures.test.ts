import { expect, it } from "vitest";
import { figuresOf, type RecognizerRound } from "./figures.js";

const round = (clockMs: number, processorMs: number, afterEndMs: number[]): RecognizerRound => ({
  ...{ clockMs, processorMs, afterEndMs },
  errors: { words: 20, substituted: 2, inserted: 1, deleted: 0 },
});

it("compares the first way with each other one, round by round", () => {
  const rounds = [
    [round(2, 2, [10, 20]), round(8, 10, [1, 2])],
    [round(3, 2, [30, 40]), round(6, 20, [3, 4])],
    [round(4, 2, [50, 60]), round(8, 40, [5, 6])],
  ];
  const { ways, ratios } = figuresOf(["own", "peer"], rounds);
  expect(ratios).toMatchObject([{ to: "peer", clock: { median: 0.5, min: 0.25, max: 0.5 } }]);
  expect(ratios[0]?.processor).toMatchObject({ median: 0.1, min: 0.05, max: 0.2 });
  expect(ways[0]).toMatchObject({ name: "own", clockMs: { median: 3 }, afterEndMs: { max: 60 }, wordErrorRate: 15 });
  expect(ways[1]?.afterEndMs.max).toBe(6);
});
