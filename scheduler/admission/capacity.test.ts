import { describe, expect, it } from "vitest";
import { type Capacity, latenessMs, streamsThatFit } from "./capacity.js";
import { addNeed, addProfile, type DemandProfile, emptyProfile, horizonsMs } from "./demand-profile.js";

const capacity: Capacity = { slots: 2, recognitionShare: 0, bulkShare: 0, freeShare: 0.1 };
const nothing = emptyProfile();

/** What keeps so many slots busy all the time. */
const busy = (slots: number): DemandProfile =>
  horizonsMs.reduce((profile, horizonMs, index) => {
    profile[index] = horizonMs * slots;
    return profile;
  }, emptyProfile());

describe("whether workers can speak one more stream", () => {
  it("is so up to what all slots do, and no further", () => {
    expect(latenessMs("live", { live: busy(1.5), free: nothing }, busy(0.5), capacity)).toBe(0);
    expect(latenessMs("live", { live: busy(1.5), free: nothing }, busy(0.6), capacity)).toBeCloseTo(800);
    expect(latenessMs("live", { live: nothing, free: nothing }, busy(0.1), { ...capacity, slots: 0 })).toBe(Infinity);
  });

  it("leaves live recognition and the floor of bulk work what they take", () => {
    const shared = { ...capacity, recognitionShare: 0.2, bulkShare: 0.1 };
    expect(latenessMs("live", { live: busy(1.3), free: nothing }, busy(0.1), shared)).toBeCloseTo(0);
    expect(latenessMs("live", { live: busy(1.4), free: nothing }, busy(0.1), shared)).toBeGreaterThan(0);
  });

  it("keeps the free tier's floor for it, no more than it needs, and gives it what live streams leave", () => {
    expect(latenessMs("live", { live: busy(1.5), free: busy(5) }, busy(0.3), capacity)).toBeCloseTo(0);
    expect(latenessMs("live", { live: busy(1.5), free: busy(0.1) }, busy(0.4), capacity)).toBeCloseTo(0);
    expect(latenessMs("free", { live: busy(3), free: busy(0.1) }, busy(0.1), capacity)).toBeCloseTo(0);
    expect(latenessMs("free", { live: busy(3), free: busy(0.2) }, busy(0.1), capacity)).toBeGreaterThan(0);
    expect(latenessMs("free", { live: busy(1), free: busy(0.8) }, busy(0.2), capacity)).toBeCloseTo(0);
  });

  it("is so for as many as would be taken one after the other", () => {
    const shared = { ...capacity, slots: 4, recognitionShare: 0.2 };
    for (const [live, free, each] of [
      [1, 0, 0.3],
      [2, 5, 0.11],
      [3.3, 0, 0.1],
      [0, 0, 0.7],
    ] as const) {
      const demand = { live: busy(live), free: busy(free) };
      let streams = 0;
      while (latenessMs("live", demand, busy(each), shared) <= 1e-6) {
        addProfile(demand.live, busy(each));
        streams += 1;
      }
      expect(streamsThatFit({ live: busy(live), free: busy(free) }, busy(each), shared)).toBe(streams);
    }
  });

  it("leaves a part to other teams at the horizons at which the stream's team has more than its share", () => {
    const standings = horizonsMs.map((horizonMs) => (horizonMs < 5000 ? ("above" as const) : ("within" as const)));
    const team = { standings, othersShare: 0.1, reserveMs: 1000, shareReserveMs: 1000 };
    const demand = { live: busy(1.8), free: nothing };
    expect(latenessMs("live", demand, nothing, capacity, team)).toBeCloseTo(0);
    expect(latenessMs("live", demand, busy(0.1), capacity, team)).toBeCloseTo(0.05 * 4000);
    expect(latenessMs("live", demand, busy(0.1), capacity)).toBeLessThan(0);
  });

  it("lets a team with less than its share into what players have in hand, but for the last of it", () => {
    const standings = horizonsMs.map(() => "within" as const);
    const team = { standings, othersShare: 0.1, reserveMs: 1000, shareReserveMs: 300 };
    const lateBy = (ms: number): DemandProfile => busy(2).map((needMs) => needMs + 2 * ms);
    const lateness = (ms: number): number =>
      latenessMs("live", { live: lateBy(ms), free: nothing }, nothing, capacity, team);
    // Of the horizon of 250 ms a third is reserve, which is less than the 300 ms.
    expect(lateness(1)).toBeCloseTo(1);
    const far = (ms: number): DemandProfile =>
      lateBy(ms).map((needMs, index) => ((horizonsMs[index] ?? 0) < 3000 ? 0 : needMs));
    expect(latenessMs("live", { live: far(700), free: nothing }, nothing, capacity, team)).toBeCloseTo(0);
    expect(latenessMs("live", { live: far(701), free: nothing }, nothing, capacity, team)).toBeCloseTo(1);
  });

  it("is not so where only the near future is too full", () => {
    const burst = emptyProfile();
    addNeed(
      burst,
      { nextMs: 4000, nextDueMs: 0, thenDueMs: 4000, remainingMs: 4000, chunkMs: 4000 },
      { serviceMs: 0.5, reserveMs: 1000 },
    );
    const late = latenessMs("live", { live: nothing, free: nothing }, burst, capacity);
    expect(late).toBeCloseTo(2000 / 2 - horizonsMs[0]);
    const twice = emptyProfile();
    addProfile(twice, burst, 2);
    expect(latenessMs("live", { live: nothing, free: nothing }, twice, capacity)).toBeCloseTo(2000 - horizonsMs[0]);
  });
});
