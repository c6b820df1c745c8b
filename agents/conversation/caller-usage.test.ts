import { beforeEach, describe, expect, it } from "vitest";
import type { UsageRecord } from "#protocol/bus/control";
import { VirtualClock } from "#common/clock";
import { CallerUsage } from "./caller-usage.js";

let clock: VirtualClock;
let describeSoFar: () => UsageRecord | null;
let reported: (UsageRecord | null)[];
let usage: CallerUsage;
beforeEach(() => {
  clock = new VirtualClock();
  reported = [];
  usage = new CallerUsage({
    clock,
    payer: { teamId: "team", keyId: "key", agentId: "agent" },
    traceId: "trace",
    usage: {
      begin(describe) {
        describeSoFar = describe;
        return (record) => reported.push(record);
      },
    },
  });
});

describe("what a caller's speech costs", () => {
  it("is the time from each start to the last voiced frame, reported once", () => {
    usage.activity({ type: "speech-started", atMs: 100 });
    usage.activity({ type: "speech-paused", lastVoicedMs: 1100 });
    usage.activity({ type: "speech-started", atMs: 5000 });
    clock.advance(5500);
    expect(describeSoFar()).toMatchObject({ audioMs: 1000, outcome: "partial", model: "transcribe-1" });
    usage.end();
    usage.end();
    expect(reported).toEqual([
      expect.objectContaining({ audioMs: 1500, outcome: "completed", teamId: "team", keyId: "key", agentId: "agent" }),
    ]);
  });

  it("is nothing where nobody has spoken", () => {
    clock.advance(60_000);
    expect(describeSoFar()).toBeNull();
    usage.end();
    expect(reported).toEqual([null]);
  });
});
