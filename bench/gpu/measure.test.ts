import { describe, expect, it } from "vitest";
import { batchCurve, streamsOf } from "./measure.js";

describe("a curve of batches", () => {
  it("calls each size once without counting, then at least three times", async () => {
    const called: number[] = [];
    const curve = await batchCurve([1, 4], 0, async (batch) => {
      called.push(batch);
      return batch * 2;
    });
    expect(called).toEqual([1, 1, 1, 1, 4, 4, 4, 4]);
    expect(curve.map(({ batch, calls }) => [batch, calls])).toEqual([
      [1, 3],
      [4, 3],
    ]);
    for (const { callP50Ms, callP95Ms } of curve) expect(callP95Ms).toBeGreaterThanOrEqual(callP50Ms);
  });

  it("carries as many streams as the best batch whose calls end in time", () => {
    const point = (batch: number, callP95Ms: number, audioPerSecond: number) => ({
      ...{ batch, callP95Ms, audioPerSecond },
      ...{ callP50Ms: callP95Ms, calls: 3 },
    });
    const curve = [point(1, 20, 80.9), point(8, 290, 500.5), point(32, 301, 900)];
    expect(streamsOf(curve, 300)).toBe(500);
    expect(streamsOf(curve, 10)).toBe(0);
  });
});
