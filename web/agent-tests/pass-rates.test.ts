import { expect, it } from "vitest";
import type { TestBatchSummary } from "#protocol/agents/test-runs";
import { passRates, rateText } from "./pass-rates.js";

const batch = (second: number, pass_rate: number | null): TestBatchSummary =>
  ({ created_at: `2026-01-01T00:00:0${second}Z`, pass_rate }) as TestBatchSummary;

it("shows the rates oldest first, and no batch without one", () => {
  const from = Date.parse("2026-01-01T00:00:00Z") / 1000;
  expect(passRates([batch(3, 1), batch(2, null), batch(1, 0.25)])).toEqual({
    times: [from + 1, from + 3],
    percents: [25, 100],
  });
});

it("says 100 % of nothing but all", () => {
  expect([1, 0.9999, 0.5, 0, null].map(rateText)).toEqual(["100 %", "99 %", "50 %", "0 %", "–"]);
});
