import { expect, it } from "vitest";
import { Turn } from "./turn.js";

/** Eighths of a second of each loudness, which binary fractions have exactly: where turns end. */
function endsOf(...levels: [loudness: number, eighths: number][]): number[] {
  const turn = new Turn();
  const moments = levels.flatMap(([loudness, eighths]) => Array.from({ length: eighths }, () => loudness));
  return moments.flatMap((loudness, index) => (turn.add(loudness, 0.125) ? [index] : []));
}

it("ends a turn with a pause after speech, once", () => {
  expect(endsOf([0, 20], [0.1, 10], [0.001, 30], [0.1, 5], [0, 10])).toEqual([36, 71]);
});

it("goes on over short pauses, and ends what has none", () => {
  expect(endsOf([0.1, 10], [0, 5], [0.1, 10], [0, 5])).toEqual([]);
  expect(endsOf([0.1, 330])).toEqual([159, 319]);
});
