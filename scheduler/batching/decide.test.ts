import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type BatchPolicy, type Candidate, decide } from "./decide.js";
import { lengthBucket } from "./length-bucket.js";

/** A call of n chunks takes 10 ms and 2 ms for each. */
const linear: BatchPolicy = { maxBatch: 8, maxWaitUs: 0, predictP95Ms: (batchSize) => 10 + 2 * batchSize };

function candidate(id: number, facts: Partial<Candidate> = {}): Candidate {
  return { id, size: 60, deadlineMs: 1000, waitedUs: 0, ...facts };
}

describe("the batching decision", () => {
  it("has nothing to wait for while nothing is queued", () => {
    expect(decide({ candidates: [] }, 0, linear)).toEqual({ waitUs: Number.POSITIVE_INFINITY });
  });

  it("sends a lone chunk at once: free capacity never waits", () => {
    expect(decide({ candidates: [candidate(1)] }, 0, linear)).toEqual({ dispatch: [1] });
  });

  it("takes everything of one bucket that has queued, up to the model's bound", () => {
    const candidates = Array.from({ length: 20 }, (_, id) => candidate(id));
    expect(decide({ candidates }, 0, linear)).toEqual({ dispatch: [0, 1, 2, 3, 4, 5, 6, 7] });
    expect(decide({ candidates }, 0, { ...linear, maxBatch: 1 })).toEqual({ dispatch: [0] });
  });

  it("leaves chunks of another length out", () => {
    const candidates = [candidate(1), candidate(2, { size: 400 }), candidate(3, { size: 59 })];
    expect(decide({ candidates }, 0, linear)).toEqual({ dispatch: [1, 3] });
  });

  it("takes no more than lets the earliest deadline be met", () => {
    const candidates = [candidate(1, { deadlineMs: 17 }), candidate(2), candidate(3), candidate(4)];
    expect(decide({ candidates }, 0, linear)).toEqual({ dispatch: [1, 2, 3] });
  });

  it("is not held small by a chunk that would be late even alone", () => {
    const candidates = [candidate(1, { deadlineMs: 5 }), candidate(2), candidate(3)];
    expect(decide({ candidates }, 0, linear)).toEqual({ dispatch: [1, 2, 3] });
  });

  it("counts an allowed wait from the first submission, not from now", () => {
    const waiting: BatchPolicy = { ...linear, maxWaitUs: 2000 };
    expect(decide({ candidates: [candidate(1, { waitedUs: 500 })] }, 0, waiting)).toEqual({ waitUs: 1500 });
    expect(decide({ candidates: [candidate(1, { waitedUs: 500 }), candidate(2)] }, 0, waiting)).toEqual({
      waitUs: 1500,
    });
    expect(decide({ candidates: [candidate(1, { waitedUs: 2000 })] }, 0, waiting)).toEqual({ dispatch: [1] });
  });

  it("does not wait into a deadline, nor for company that saves nothing", () => {
    const waiting: BatchPolicy = { ...linear, maxWaitUs: 2000 };
    expect(decide({ candidates: [candidate(1, { deadlineMs: 14 })] }, 0, waiting)).toEqual({ dispatch: [1] });
    const noGain: BatchPolicy = { ...waiting, predictP95Ms: (batchSize) => 20 * batchSize };
    expect(decide({ candidates: [candidate(1)] }, 0, noGain)).toEqual({ dispatch: [1] });
  });

  it("always serves the head, within the bound, from one bucket, without repetition, and in time if the head can be", () => {
    const anyCandidates = fc.array(
      fc.record({
        size: fc.integer({ min: 1, max: 500 }),
        deadlineMs: fc.integer({ min: -100, max: 500 }),
        waitedUs: fc.nat(10_000),
      }),
      { minLength: 1, maxLength: 40 },
    );
    fc.assert(
      fc.property(
        anyCandidates,
        fc.integer({ min: 1, max: 16 }),
        fc.integer({ min: 0, max: 3 }),
        (facts, maxBatch, perChunkMs) => {
          const candidates = facts.map((fact, id) => ({ id, ...fact }));
          const predictP95Ms = (batchSize: number, longest: number): number =>
            5 + perChunkMs * batchSize + longest / 50;
          const decision = decide({ candidates }, 0, { maxBatch, maxWaitUs: 0, predictP95Ms });
          if (!("dispatch" in decision)) throw new Error("free capacity waited");
          const batch = decision.dispatch.map((id) => candidates[id] as Candidate);
          expect(decision.dispatch[0]).toBe(0);
          expect(new Set(decision.dispatch).size).toBe(batch.length);
          expect(batch.length).toBeLessThanOrEqual(maxBatch);
          expect(new Set(batch.map((one) => lengthBucket(one.size))).size).toBe(1);
          const finishMs = predictP95Ms(batch.length, Math.max(...batch.map((one) => one.size)));
          for (const one of batch) {
            const reachableAlone = predictP95Ms(1, one.size) <= one.deadlineMs;
            if (reachableAlone) expect(finishMs).toBeLessThanOrEqual(one.deadlineMs);
          }
        },
      ),
    );
  });
});
