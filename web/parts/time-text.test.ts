import { expect, it } from "vitest";
import { clockText, momentText } from "./time-text.js";

it("says how long a call took", () => {
  expect([0, 7.9, 60, 750, 3723].map(clockText)).toEqual(["0:00", "0:07", "1:00", "12:30", "1:02:03"]);
  expect(clockText(-1)).toBe("0:00");
});

it("has a dash for a moment that has not come", () => {
  expect(momentText(null)).toBe("–");
  expect(momentText("2026-01-02T03:04:05Z")).toMatch(/2026/);
});
