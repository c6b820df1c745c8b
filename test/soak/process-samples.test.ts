import { expect, it } from "vitest";
import { findGrowth, type ProcessSample } from "./process-samples.js";

const life = (of: (index: number) => Partial<ProcessSample>): ProcessSample[] =>
  Array.from({ length: 30 }, (_, index) => ({ residentMb: 100, descriptors: { socket: 6, pipe: 11 }, ...of(index) }));

it("finds nothing in a process that fills its caches first, and breathes", () => {
  const breathing = life((index) => ({ residentMb: Math.min(300, 100 + index * 40) + (index % 3) * 10 }));
  expect(findGrowth(new Map([["edge#1", breathing]]))).toEqual([]);
});

it("names a process whose memory grows, and one whose open files do", () => {
  const samples = new Map([
    ["edge#1", life((index) => ({ residentMb: 100 + index * 8 }))],
    ["worker-1#1", life((index) => ({ descriptors: { socket: 6 + index, pipe: 11 } }))],
  ]);
  expect(findGrowth(samples)).toEqual([
    "edge#1 grew from 220 to 300 MB",
    "worker-1#1 had 32 open files, then 42: socket 21 to 31",
  ]);
});

it("says nothing of a life that was short", () => {
  expect(findGrowth(new Map([["worker-2#3", life((index) => ({ residentMb: index * 100 })).slice(0, 10)]]))).toEqual(
    [],
  );
});
