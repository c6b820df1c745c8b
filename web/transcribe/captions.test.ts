import { expect, it } from "vitest";
import { captionsOf } from "./captions.js";

const words = [
  { text: "one", start: 0, end: 0.4 },
  { text: "<two>", start: 0.5, end: 1 },
  { text: "three", start: 1.6, end: 2 },
  { text: "four", start: 3661.0996, end: 3662 },
];

it("puts words into captions between pauses", () => {
  expect(captionsOf(words)).toEqual([
    { text: "one <two>", start: 0, end: 1 },
    { text: "three", start: 1.6, end: 2 },
    { text: "four", start: 3661.0996, end: 3662 },
  ]);
  expect(captionsOf([])).toEqual([]);
});

it("ends a caption after eight seconds, pause or not", () => {
  const steady = Array.from({ length: 20 }, (_, index) => ({ text: "a", start: index, end: index + 0.9 }));
  expect(captionsOf(steady).map(({ start, end }) => end - start <= 8)).toEqual([true, true, true]);
});
