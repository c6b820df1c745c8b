import { expect, it } from "vitest";
import type { UsageLine } from "#protocol/usage";
import { subjectOf, usageFiltersOf, usageReportPath } from "./usage-filters.js";

it("takes from an address what it can mean", () => {
  expect(usageFiltersOf({ by: "model", from: "2026-01-02", to: "never" })).toEqual({ by: "model", from: "2026-01-02" });
  expect(usageFiltersOf({ by: "toString", from: 1 })).toEqual({});
});

it("asks for days where days are given", () => {
  expect(usageReportPath({})).toBe("/v1/usage?group_by=day");
  expect(usageReportPath({ by: "key", from: "2026-01-02", to: "2026-01-03" })).toBe(
    "/v1/usage?group_by=key&start=2026-01-02&end=2026-01-03",
  );
});

it("says what a line is about", () => {
  const line = { day: "2026-01-02", agent_id: "" } as UsageLine;
  expect([subjectOf(line, "day"), subjectOf(line, "agent"), subjectOf(line, "model")]).toEqual([
    "2026-01-02",
    "outside of conversations",
    "–",
  ]);
});
