import { describe, expect, it } from "vitest";
import { summarize } from "./report.js";
import { crowdedVillage, village } from "./scenario.js";
import { simulate } from "./simulation.js";

describe("a simulated cluster with real scheduler cores", () => {
  it("speaks every stream to its end though workers and a scheduler die", () => {
    const outcome = simulate(village);
    const summary = summarize(outcome);
    expect(outcome.streams.every((stream) => stream.end === "completed")).toBe(true);
    expect(outcome.resubmissions).toBeGreaterThan(0);
    expect(outcome.cost.faults).toBe(0);
    expect(outcome.leftOver).toBe(0);
    expect(outcome.mostHeld).toBe(village.slotsPerWorker);
    expect(summary.tiers.live.firstAudioMs.p95).toBeLessThan(200);
    expect(summary.tiers.live.streamsWithUnderruns).toBeLessThanOrEqual(2);
  });

  it("repeats itself exactly", () => {
    const [one, other] = [simulate(village), simulate(village)];
    expect(other.streams.map((stream) => stream.endedAtMs)).toEqual(one.streams.map((stream) => stream.endedAtMs));
  });

  it("under twice the load keeps live listeners, holds the floors and sheds the free tier", () => {
    const outcome = simulate(crowdedVillage);
    const { tiers, unfinished, worstContinuity } = summarize(outcome);
    expect(unfinished).toBe(0);
    expect(tiers.live.failed + tiers.free.failed + tiers.bulk.failed).toBe(0);
    expect(tiers.live.refused).toBe(0);
    expect(tiers.free.refused).toBeGreaterThan(0);
    expect(tiers.live.firstAudioMs.p99).toBeLessThan(1000);
    expect(worstContinuity).toBeGreaterThan(0.9);
    expect(tiers.free.engineShare).toBeGreaterThan(0.08);
    expect(tiers.bulk.engineShare).toBeGreaterThan(0.08);
  });
});
