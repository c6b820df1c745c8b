import { describe, expect, it } from "vitest";
import { schedulingPolicy } from "../policy.js";
import { policyWith } from "../testing/fixtures.js";
import { type AdmissionFacts, admitContinuation, admitNewStream } from "./admit.js";

const policy = policyWith({ queueChunks: 100, hardQueueChunks: 400, admissionWaitMs: 1000 });
const idle: AdmissionFacts = {
  model: "voice",
  tier: "live",
  isAdmitted: false,
  mostWaitMs: undefined,
  draining: false,
  served: true,
  queuedChunks: 0,
  wait: { liveMs: 0, freeMs: 0 },
  ownMs: 50,
  latenessMs: Number.NEGATIVE_INFINITY,
  runningLateMs: Number.NEGATIVE_INFINITY,
};

describe("admission", () => {
  it("takes every tier while there is room", () => {
    for (const tier of ["live", "free", "bulk"] as const) expect(admitNewStream({ ...idle, tier }, policy)).toBeNull();
  });

  it("refuses what would finish too late, with a time to come back", () => {
    const refusal = admitNewStream({ ...idle, wait: { liveMs: 2950, freeMs: 0 } }, policy);
    expect(refusal?.code).toBe("overloaded");
    expect(refusal?.retryAfterMs).toBe(2000);
  });

  it("refuses whoever listens already where it would begin later than that stream waits", () => {
    const busy = { ...idle, wait: { liveMs: 460, freeMs: 0 }, mostWaitMs: 500 };
    expect(admitNewStream(busy, policy)?.retryAfterMs).toBe(250);
    expect(admitNewStream({ ...busy, wait: { liveMs: 450, freeMs: 0 } }, policy)).toBeNull();
    expect(admitNewStream({ ...busy, mostWaitMs: 600_000, wait: { liveMs: 951, freeMs: 0 } }, policy)?.code).toBe(
      "overloaded",
    );
  });

  it("takes what waits for nothing, however slow the machine is thought to be", () => {
    expect(admitNewStream({ ...idle, ownMs: 60_000, mostWaitMs: 500 }, policy)).toBeNull();
    expect(admitNewStream({ ...idle, ownMs: 60_000, tier: "free" }, policy)).toBeNull();
  });

  it("sheds free and bulk streams before live ones", () => {
    const busy = { ...idle, wait: { liveMs: 600, freeMs: 600 } };
    expect(admitNewStream({ ...busy, tier: "live" }, policy)).toBeNull();
    expect(admitNewStream({ ...busy, tier: "free" }, policy)?.code).toBe("overloaded");
    expect(admitNewStream({ ...busy, tier: "bulk" }, policy)?.code).toBe("overloaded");
  });

  it("refuses free streams whose own line is too long while live ones pass", () => {
    const longFreeLine = { ...idle, wait: { liveMs: 0, freeMs: 5000 } };
    expect(admitNewStream({ ...longFreeLine, tier: "free" }, policy)?.code).toBe("overloaded");
    expect(admitNewStream({ ...longFreeLine, tier: "live" }, policy)).toBeNull();
  });

  it("takes no new stream while running ones fall behind", () => {
    const late = policyWith({ runningLateMs: 500 });
    expect(admitNewStream({ ...idle, runningLateMs: 501 }, late)?.code).toBe("overloaded");
    expect(admitNewStream({ ...idle, runningLateMs: 500 }, late)).toBeNull();
    expect(schedulingPolicy({ PARLEY_QUEUE_CHUNKS: 1, PARLEY_ADMISSION_WAIT_MS: 3000 }).runningLateMs).toBe(500);
  });

  it("takes what belongs to a conversation however much waits, but not where nobody could do it", () => {
    const reply = { ...idle, isAdmitted: true, queuedChunks: 399, runningLateMs: 60_000, ownMs: 60_000 };
    expect(admitNewStream(reply, policy)).toBeNull();
    expect(admitNewStream({ ...reply, served: false }, policy)?.code).toBe("no_worker");
    expect(admitNewStream({ ...reply, draining: true }, policy)?.code).toBe("draining");
  });

  it("says which model nobody serves, and when it is shutting down", () => {
    expect(admitNewStream({ ...idle, served: false }, policy)?.message).toBe(
      "No worker serves the model voice right now",
    );
    expect(admitNewStream({ ...idle, draining: true }, policy)?.code).toBe("draining");
  });

  it("bounds the queue: softly for new streams, firmly for running ones", () => {
    expect(admitNewStream({ ...idle, queuedChunks: 99 }, policy)).toBeNull();
    expect(admitNewStream({ ...idle, queuedChunks: 100 }, policy)?.code).toBe("overloaded");
    expect(admitNewStream({ ...idle, tier: "bulk", queuedChunks: 50 }, policy)?.code).toBe("overloaded");
    expect(admitContinuation(399, policy)).toBeNull();
    expect(admitContinuation(400, policy)?.code).toBe("overloaded");
  });
});
