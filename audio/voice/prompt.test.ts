import { expect, it } from "vitest";
import { joinPrompts, MAX_PROMPT_SAMPLES } from "./prompt.js";

it("puts recordings one after the other, as far as a prompt goes", () => {
  const recording = (value: number, samples: number): Int16Array => new Int16Array(samples).fill(value);
  expect(joinPrompts([recording(1, 3), recording(2, 2)])).toEqual(Int16Array.of(1, 1, 1, 2, 2));
  const long = joinPrompts([recording(1, 200_000), recording(2, 200_000), recording(3, 5)]);
  expect([long.length, long[199_999], long[200_000], long.at(-1)]).toEqual([MAX_PROMPT_SAMPLES, 1, 2, 2]);
  expect(joinPrompts([])).toEqual(new Int16Array(0));
});
