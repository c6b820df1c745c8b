import { expect, it } from "vitest";
import { level } from "./level.js";

it("is that of a full-scale tone, and 0 for silence", () => {
  const tone = Array.from({ length: 44_000 }, (_, i) => 32_768 * Math.sin(i / 7));
  expect(level(tone)).toBeCloseTo(Math.SQRT1_2, 2);
  expect(level([0, 0])).toBe(0);
  expect(level([])).toBe(0);
});
