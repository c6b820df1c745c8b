import { expect, it } from "vitest";
import { isMet } from "../report/aim.js";
import { badFiles } from "./bad-files.js";
import { memoryAims, printMemory } from "./report.js";

it("makes the same bad recordings of the same seed, of every kind", () => {
  const [first, again, other] = [badFiles(1), badFiles(1), badFiles(2)];
  expect(first.map((file) => Buffer.compare(file, again.shift() ?? new Uint8Array()))).toEqual(first.map(() => 0));
  expect(Buffer.compare(first[0] ?? new Uint8Array(), other[0] ?? new Uint8Array())).not.toBe(0);
  expect(new Set(first.map((file) => Buffer.from(file.subarray(0, 8)).toString("latin1"))).size).toBe(first.length);
});

it("adds all processes up, and holds them to the aims", () => {
  const figures = {
    atRest: [
      { name: "workers", processes: 2, residentMb: 400, proportionalMb: 300 },
      { name: "edge", processes: 1, residentMb: 290, proportionalMb: 200 },
    ],
    edge: { beforeMb: 290, mostMb: 373 },
    statuses: { 400: 240 },
  };
  expect(printMemory(figures)).toMatch(/^all +3 +690 +500$/m);
  expect(memoryAims(figures).map(isMet)).toEqual([true, false]);
});
