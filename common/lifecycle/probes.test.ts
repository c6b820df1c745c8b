import { describe, expect, it } from "vitest";
import type { LifecycleState } from "#protocol/bus/membership";
import { answerProbe } from "./probes.js";

const ask = (path: string, state: LifecycleState, reasons: string[] = []) =>
  answerProbe(path, { state, reasonsNotReady: () => reasons })?.isPositive;

describe("the probes of a process", () => {
  it.each([
    ["initialized", false, true, false],
    ["ready", true, true, true],
    ["draining", true, true, false],
    ["stopped", true, true, false],
  ] as const)("of one that is %s", (state, hasStarted, isLive, isReady) => {
    expect(ask("/startup", state)).toBe(hasStarted);
    expect(ask("/live", state)).toBe(isLive);
    expect(ask("/ready", state)).toBe(isReady);
  });

  it("call it unready, and neither dead nor unstarted, while a dependency is away", () => {
    expect(answerProbe("/ready", { state: "ready", reasonsNotReady: () => ["No connection to NATS"] })).toEqual({
      isPositive: false,
      reasons: ["No connection to NATS"],
    });
    expect(ask("/live", "ready", ["No connection to NATS"])).toBe(true);
    expect(ask("/startup", "ready", ["No connection to NATS"])).toBe(true);
  });

  it("ask a role nothing before it has started", () => {
    const reasonsNotReady = (): string[] => {
      throw new Error("it is not there yet");
    };
    expect(answerProbe("/ready", { state: "initialized", reasonsNotReady })?.reasons).toEqual(["Starting"]);
  });

  it("are no other paths", () => {
    expect(ask("/metrics", "ready")).toBeUndefined();
    expect(ask("/ready/", "ready")).toBeUndefined();
  });
});
