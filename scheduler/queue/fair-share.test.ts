import { describe, expect, it } from "vitest";
import { FairShare, type LaneHeads } from "./fair-share.js";
import type { Lane } from "./lane.js";

const nobody: LaneHeads = { first: null, urgent: null, free: null, bulk: null, ahead: null };

function waiting(...lanes: Lane[]): LaneHeads {
  return { ...nobody, ...Object.fromEntries(lanes.map((lane) => [lane, { costMs: 10, ageMs: 0, lateMs: -1 }])) };
}

function serve(shares: FairShare, heads: LaneHeads, times: number, mayGrow = true): Record<string, number> {
  const served: Record<string, number> = {};
  for (let turn = 0; turn < times; turn += 1) {
    const lane = shares.choose(heads);
    if (lane === null) break;
    served[lane] = (served[lane] ?? 0) + 1;
    shares.charge(lane, 10, heads, mayGrow);
  }
  return served;
}

describe("fair shares", () => {
  const options = { floors: { urgent: 0.5, free: 0.1, bulk: 0.1 }, agingMs: 10_000 };

  it("serves nobody when nobody waits", () => {
    expect(new FairShare(options).choose(nobody)).toBeNull();
  });

  it("keeps to the strict order without contention", () => {
    const shares = new FairShare(options);
    expect(shares.choose(waiting("ahead", "bulk"))).toBe("bulk");
    expect(shares.choose(waiting("bulk", "free", "urgent"))).toBe("urgent");
    expect(shares.choose(waiting("urgent", "first"))).toBe("first");
    expect(shares.choose(waiting("ahead"))).toBe("ahead");
  });

  it("guarantees every floor when all lanes are always full", () => {
    const served = serve(new FairShare(options), waiting("first", "urgent", "free", "bulk", "ahead"), 1000);
    expect(served.urgent).toBeGreaterThanOrEqual(400);
    expect(served.free).toBeGreaterThanOrEqual(95);
    expect(served.bulk).toBeGreaterThanOrEqual(95);
    expect(served.first).toBeGreaterThanOrEqual(250);
  });

  it("gives an old head up to twice the floor and no more", () => {
    const heads: LaneHeads = { ...waiting("first"), bulk: { costMs: 10, ageMs: 1_000_000, lateMs: -1 } };
    const served = serve(new FairShare(options), heads, 1000);
    expect(served.bulk).toBeGreaterThan(180);
    expect(served.bulk).toBeLessThan(220);
  });

  it("gives an old head its floor and no more while new live streams are refused", () => {
    const heads = { ...waiting("urgent", "bulk"), bulk: { costMs: 10, ageMs: 60_000, lateMs: -1 } };
    const { bulk } = serve(new FairShare(options), heads, 1000, false);
    expect(bulk).toBeGreaterThanOrEqual(95);
    expect(bulk).toBeLessThanOrEqual(105);
  });

  it("halves the floors, whatever the age, while a running live stream is late", () => {
    const heads: LaneHeads = {
      ...waiting("first"),
      urgent: { costMs: 10, ageMs: 0, lateMs: 1 },
      bulk: { costMs: 10, ageMs: 1_000_000, lateMs: 1 },
    };
    const served = serve(new FairShare(options), heads, 1000);
    expect(served.bulk).toBeGreaterThan(40);
    expect(served.bulk).toBeLessThan(60);
  });

  it("lets nobody save up while absent", () => {
    const shares = new FairShare(options);
    serve(shares, waiting("first", "bulk"), 9);
    shares.choose(waiting("first"));
    expect(serve(shares, waiting("first", "bulk"), 9)).toEqual({ first: 9 });
  });
});
