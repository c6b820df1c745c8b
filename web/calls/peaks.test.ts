import { expect, it } from "vitest";
import { peaksOf } from "./peaks.js";

it("finds the loudest sample of each stretch", () => {
  expect(peaksOf(Float32Array.of(0, 0.5, -0.75, 0.25, 0, 0), 3)).toEqual([0.5, 0.75, 0]);
});

it("has a value for every stretch, also of less audio than there are stretches", () => {
  expect(peaksOf(Float32Array.of(-2, 0.5), 4)).toEqual([1, 1, 0.5, 0.5]);
  expect(peaksOf(new Float32Array(0), 2)).toEqual([0, 0]);
});
