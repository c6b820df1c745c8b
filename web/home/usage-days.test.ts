import { describe, expect, it } from "vitest";
import { everyDay, usagePath } from "./usage-days.js";

const nowMs = Date.parse("2026-03-02T23:30:00Z");

describe("the use of the last days", () => {
  const line = {
    day: "2026-03-01",
    requests: 1200,
    failed_requests: 3,
    partial_requests: 0,
    characters: 34_567,
    audio_seconds: 4000,
    conversation_seconds: 0,
    cost: "1.25",
  };

  it("is asked for from the first day of the chart to today", () => {
    expect(usagePath(nowMs)).toBe("/v1/usage?start=2026-02-17&end=2026-03-02&group_by=day");
  });

  it("has every day, those without use too", () => {
    const days = everyDay([line], nowMs);
    expect(days.map(({ day }) => day)).toEqual([
      ...Array.from({ length: 12 }, (_, index) => `2026-02-${17 + index}`),
      "2026-03-01",
      "2026-03-02",
    ]);
    expect(days.map(({ requests }) => requests)).toEqual([...Array(12).fill(0), 1200, 0]);
  });
});
