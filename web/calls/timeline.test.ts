import { describe, expect, it } from "vitest";
import type { SessionDetail, TurnLatencyEntity } from "#protocol/agents/session";
import { latencyParts, longestWaitMs, timelineOf } from "./timeline.js";

const latency: TurnLatencyEntity = {
  turn_id: 1,
  ...{ total_ms: 500, endpointing_ms: 250, recognition_ms: 20, model_first_token_ms: 100 },
  ...{ first_clause_ms: 0, first_audio_ms: 100 },
};
const at = (second: number): string => `2026-01-01T00:00:${String(second).padStart(2, "0")}Z`;
const message = (role: "user" | "assistant", second: number | null) => ({
  ...{ type: "message" as const, role, content: "…", turn_id: 1 },
  created_at: second === null ? null : at(second),
});
const call = { started_at: at(10), turn_latencies: [latency], interrupted_turns: [] as number[] };

describe("the timeline of a call", () => {
  it("places what was said from the moment on when the caller joined", () => {
    const items = [message("user", 12), message("assistant", null), message("user", 15)];
    const entries = timelineOf({ ...call, items } as unknown as SessionDetail);
    expect(entries.map(({ atSeconds }) => atSeconds)).toEqual([2, null, 5]);
    expect(entries.map(({ fromSeconds }) => fromSeconds)).toEqual([0, 2, 2]);
  });

  it("says once how long a reply took, at its first message", () => {
    const items = [message("user", 11), message("assistant", 12), message("assistant", 14)];
    const entries = timelineOf({ ...call, items } as unknown as SessionDetail);
    expect(entries.map((entry) => entry.latency?.total_ms ?? null)).toEqual([null, 500, null]);
  });

  it("says which reply was cut off: the last one of its turn", () => {
    const items = [message("user", 11), message("assistant", 12), message("assistant", 14)];
    const entries = timelineOf({ ...call, items, interrupted_turns: [1] } as unknown as SessionDetail);
    expect(entries.map(({ isCutOff }) => isCutOff)).toEqual([false, false, true]);
    const whole = timelineOf({ ...call, items, interrupted_turns: [2] } as unknown as SessionDetail);
    expect(whole.some(({ isCutOff }) => isCutOff)).toBe(false);
  });

  it("says what went on during a wait, as far as it was measured", () => {
    expect(latencyParts({ ...latency, model_first_token_ms: null })).toEqual([
      ["end of turn", 250],
      ["recognition", 20],
      ["first clause", 0],
      ["speech", 100],
    ]);
  });

  it("knows the longest wait", () => {
    const items = [message("user", 11), message("assistant", 12)];
    expect(longestWaitMs(timelineOf({ ...call, items } as unknown as SessionDetail))).toBe(500);
    expect(longestWaitMs([])).toBe(0);
  });
});
