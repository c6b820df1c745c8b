import { expect, it } from "vitest";
import type { RecordingEntity } from "#protocol/agents/recording";
import { renewalMs } from "./recording-renewal.js";

const recording = (status: RecordingEntity["status"], expiries: (string | null)[]): RecordingEntity =>
  ({ status, tracks: expiries.map((expires_at) => ({ expires_at })) }) as RecordingEntity;
const now = Date.parse("2026-01-01T00:00:00Z");

it("is asked for again while it is made, and before its addresses end", () => {
  expect(renewalMs(recording("processing", [null]), now)).toBe(2000);
  expect(renewalMs(recording("complete", ["2026-01-01T00:15:00Z", "2026-01-01T00:10:00Z"]), now)).toBe(540_000);
  expect(renewalMs(recording("complete", ["2026-01-01T00:00:10Z"]), now)).toBe(2000);
});

it("is not asked for again where nothing more comes", () => {
  expect(renewalMs(recording("failed", [null]), now)).toBe(false);
  expect(renewalMs(recording("complete", [null]), now)).toBe(false);
  expect(renewalMs(null, now)).toBe(false);
});
