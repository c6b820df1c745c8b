import fc from "fast-check";
import { expect, it } from "vitest";
import { nextCount, type SearchBounds } from "./search.js";

const bounds: SearchBounds = { firstStreams: 50, mostStreams: 400, mostRuns: 20 };

function search(limit: number, within: SearchBounds): { streams: number; clean: boolean }[] {
  const outcomes: { streams: number; clean: boolean }[] = [];
  for (let count = nextCount(outcomes, within); count !== null; count = nextCount(outcomes, within)) {
    outcomes.push({ streams: count, clean: count <= limit });
  }
  return outcomes;
}

it("closes in on the number from which on there are gaps", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 399 }), (limit) => {
      const outcomes = search(limit, bounds);
      const clean = Math.max(0, ...outcomes.filter((outcome) => outcome.clean).map(({ streams }) => streams));
      const broken = Math.min(...outcomes.filter((outcome) => !outcome.clean).map(({ streams }) => streams));
      expect(clean).toBeLessThanOrEqual(limit);
      expect(broken).toBeGreaterThan(limit);
      expect(broken - clean).toBeLessThanOrEqual(Math.max(1, clean * 0.1 + 1));
    }),
  );
});

it("stops at the most streams and at the most runs", () => {
  expect(search(1000, bounds).map(({ streams }) => streams)).toEqual([50, 100, 200, 400]);
  expect(search(130, { ...bounds, mostRuns: 4 }).map(({ streams }) => streams)).toEqual([50, 100, 200, 150]);
});
