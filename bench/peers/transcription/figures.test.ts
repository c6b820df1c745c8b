import { expect, it } from "vitest";
import { sameShare } from "./figures.js";

it("counts the symbols that are the same at the best alignment, file by file", () => {
  expect(sameShare([["a", "b", "c"], ["d"]], [["a", "c"], ["d"]])).toBeCloseTo(0.75);
  expect(sameShare([["a", "b"], ["c"]], [["c"], ["a", "b"]])).toBe(0);
});

it("is nothing where nothing was heard", () => {
  expect(sameShare([["a"]], [[]])).toBe(0);
  expect(sameShare([], [])).toBe(0);
});
