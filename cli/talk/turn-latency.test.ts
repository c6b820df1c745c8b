import { describe, expect, it } from "vitest";
import { TurnLatency } from "./turn-latency.js";

describe("the latency of a turn", () => {
  it("is from the line to whatever comes first of the answer, once", () => {
    const latency = new TurnLatency();
    expect(latency.agentAudio(50)).toBeNull();
    latency.typed(1000);
    expect(latency.agentText(1400)).toBe(400);
    expect(latency.agentAudio(1500)).toBeNull();
    expect(latency.agentText(1600)).toBeNull();
  });

  it("is from the last voiced frame, of those that are no echo of the agent", () => {
    const latency = new TurnLatency();
    for (const atMs of [2000, 2010, 2020]) latency.voiced(atMs);
    expect(latency.agentAudio(2720)).toBe(700);
    latency.voiced(2730);
    expect(latency.agentAudio(2740)).toBeNull();
    latency.voiced(3400);
    expect(latency.agentAudio(4000)).toBe(600);
  });
});
