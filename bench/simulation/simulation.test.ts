import { describe, expect, it } from "vitest";
import { summarize } from "./report.js";
import { crowdedVillage, village } from "./scenario.js";
import { simulatedLine } from "../simulated-load/figures.js";
import { simulate, streamsPerSecond } from "./simulation.js";

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

  it("at up to four times its capacity speaks about as many streams without a gap as at its capacity", () => {
    const small = { ...village, workers: 10, workerKills: 0, engineBaseMs: 10, realTimeFactor: 0.03, patience: 0 };
    const cluster = { ...small, schedulerKillAtMs: null, arrivalSeconds: 80, liveWaitMs: 500 };
    const loads = [0.8, 2, 4].map((multiple) => {
      const streams = Math.round(multiple * streamsPerSecond(cluster) * cluster.arrivalSeconds);
      const given = { multiple, fromMs: 35_000, toMs: 80_000, processorSeconds: 0 };
      return simulatedLine(simulate({ ...cluster, streams }), given);
    });
    for (const { live, good, refused, firstAudioMs } of loads) {
      expect(live - refused - good).toBeLessThanOrEqual(0.02 * good);
      expect(firstAudioMs.p99).toBeLessThan(500);
    }
    expect(loads[0]?.refused).toBe(0);
    for (const { goodPerSecond } of loads) expect(goodPerSecond).toBeGreaterThan(0.9 * (loads[0]?.goodPerSecond ?? 0));
  }, 120_000);
});
