/**
 * The ways in which other batchers were found to hang (Ray Serve's bug list), each as a test in virtual
 * time.
 */
import { describe, expect, it } from "vitest";
import type { decide } from "../batching/decide.js";
import { done, served, submit, workerHeartbeat } from "../testing/fixtures.js";
import { CoreHarness } from "../testing/harness.js";

const batching = workerHeartbeat({ id: "w1", models: [served("voice", 4, "cuda")] });

describe("the scheduler never hangs", () => {
  it("when requests inside a batch are cancelled", () => {
    const harness = new CoreHarness();
    harness.send({ type: "worker-seen", heartbeat: batching }, submit({ stream: "busy" }));
    for (const stream of ["a", "b", "c"]) harness.send(submit({ stream, slackMs: 5000 }));
    harness.finish();
    harness.send({ type: "cancel", streamId: "b", fromChunk: 0 }, submit({ stream: "after" }));
    expect(harness.cancels).toEqual([{ workerId: "w1", streamId: "b", fromChunk: 0 }]);
    const batch = harness.batches.at(-1)?.batch;
    if (batch === undefined) throw new RangeError("no batch");
    const message = done("w1", batch);
    harness.send({
      ...message,
      outcomes: message.outcomes.map((outcome) =>
        outcome.streamId === "b" ? { ...outcome, result: "cancelled" } : outcome,
      ),
    });
    expect(harness.dispatched().at(-1)).toBe("after/0");
    expect(harness.verdicts).toEqual([]);
  });

  it("when every request inside a batch is cancelled", () => {
    const harness = new CoreHarness();
    harness.send({ type: "worker-seen", heartbeat: batching }, submit({ stream: "a" }), submit({ stream: "b" }));
    harness.send({ type: "cancel", streamId: "a", fromChunk: 0 });
    const batch = harness.batches[0]?.batch;
    if (batch === undefined) throw new RangeError("no batch");
    harness.send(done("w1", batch, "cancelled"));
    expect(harness.dispatched()).toEqual(["a/0", "b/0"]);
  });

  it("when what is queued is cancelled before its turn", () => {
    const harness = new CoreHarness();
    harness.send(
      { type: "worker-seen", heartbeat: batching },
      submit({ stream: "busy" }),
      submit({ stream: "a" }),
      submit({ stream: "b", slackMs: 900 }),
    );
    harness.send({ type: "cancel", streamId: "a", fromChunk: 0 });
    harness.finish();
    expect(harness.dispatched()).toEqual(["busy/0", "b/0"]);
    harness.finish();
    expect(harness.core.pending()).toEqual({ queuedChunks: 0, runningBatches: 0 });
  });

  it("when completions and submissions cross while the queue is not empty", () => {
    const harness = new CoreHarness();
    harness.send({ type: "worker-seen", heartbeat: workerHeartbeat({ id: "w1" }) });
    for (let round = 0; round < 50; round += 1)
      harness.send(submit({ stream: `a${round}` }), submit({ stream: `b${round}` }));
    const order = harness.drainInOrder();
    expect(order).toHaveLength(100);
    expect(harness.core.pending()).toEqual({ queuedChunks: 0, runningBatches: 0 });
  });

  it("when the batching decision throws", () => {
    const broken: typeof decide = () => {
      throw new RangeError("sizing failed");
    };
    const harness = new CoreHarness({ decide: broken });
    harness.send({ type: "worker-seen", heartbeat: batching }, submit({ stream: "a" }), submit({ stream: "b" }));
    expect(harness.drainInOrder()).toEqual(["a/0", "b/0"]);
    expect(harness.faults).toHaveLength(2);
  });

  it("when the batching decision is nonsense", () => {
    const nonsense = [
      { dispatch: [] },
      { dispatch: [-7, 1e9] },
      { waitUs: Number.POSITIVE_INFINITY },
      { waitUs: Number.NaN },
      { waitUs: 0 },
    ];
    for (const decision of nonsense) {
      const harness = new CoreHarness({ decide: () => decision });
      harness.send({ type: "worker-seen", heartbeat: batching }, submit({ stream: "a" }), submit({ stream: "b" }));
      expect(harness.drainInOrder()).toEqual(["a/0", "b/0"]);
    }
  });

  it("when it waits for company that never comes, counted from the first request", () => {
    const harness = new CoreHarness({ policy: { maxWaitUs: 2000 } });
    harness.send({ type: "worker-seen", heartbeat: batching });
    harness.nowMs = 1000;
    harness.send(submit({ stream: "a", slackMs: 5000 }));
    expect(harness.dispatched()).toEqual([]);
    expect(harness.core.nextWakeMs()).toBe(1002);
    harness.advance(1.5);
    harness.send(submit({ stream: "b", slackMs: 5000 }));
    expect(harness.core.nextWakeMs()).toBe(1002);
    harness.advance(1);
    expect(harness.batches.map(({ batch }) => batch.chunks.length)).toEqual([2]);
  });

  it("when a message is malformed", () => {
    const harness = new CoreHarness();
    harness.send(
      { type: "worker-seen", heartbeat: workerHeartbeat({ id: "w1" }) },
      submit({ stream: "a" }),
      submit({ stream: "b" }),
    );
    const batch = harness.batches[0]?.batch;
    if (batch === undefined) throw new RangeError("no batch");
    const broken = { ...done("w1", batch), outcomes: undefined } as unknown as ReturnType<typeof done>;
    harness.send({ type: "submit" } as unknown as ReturnType<typeof submit>, broken);
    expect(harness.faults).toHaveLength(2);
    expect(harness.dispatched()).toEqual(["a/0", "b/0"]);
  });

  it("when a worker forgets a chunk in its report", () => {
    const harness = new CoreHarness();
    harness.send({ type: "worker-seen", heartbeat: workerHeartbeat({ id: "w1" }) }, submit({ stream: "a" }));
    const batch = harness.batches[0]?.batch;
    if (batch === undefined) throw new RangeError("no batch");
    harness.send({ ...done("w1", batch), outcomes: [] });
    expect(harness.verdicts).toEqual([{ type: "lost", streamId: "a", chunkIndex: 0, attempt: 1, ownerId: "edge-1" }]);
  });
});
