import { expect, it } from "vitest";
import { objections } from "./validity.js";

const quiet = { others: 0.05, stolen: 0 };

it("objects to what could have made the figures, and to nothing else", () => {
  expect(objections({ load: quiet, errors: 0 })).toEqual([]);
  expect(objections({ load: { others: 0.3, stolen: 0.03 }, errors: 2 })).toEqual([
    "others used 0.30 cores",
    "0.03 cores were stolen by the hypervisor",
    "2 errors",
  ]);
});

it("lets a generator be late by a twentieth of the time that decides, and by a millisecond anyhow", () => {
  const late = (generatorLagP99Ms: number, judgedMs?: number): string[] =>
    objections({ load: quiet, generatorLagP99Ms, errors: 0, ...(judgedMs === undefined ? {} : { judgedMs }) });
  expect([late(1), late(1, 10), late(5, 100)]).toEqual([[], [], []]);
  expect([late(1.1), late(1.1, 10), late(5.2, 100)]).toEqual([
    ["the generator was late by 1.1 ms (p99)"],
    ["the generator was late by 1.1 ms (p99)"],
    ["the generator was late by 5.2 ms (p99)"],
  ]);
});
