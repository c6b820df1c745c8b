import { describe, expect, it } from "vitest";
import { done, served, submit, workerHeartbeat } from "../testing/fixtures.js";
import { CoreHarness } from "../testing/harness.js";

function withWorkers(...ids: string[]): CoreHarness {
  const harness = new CoreHarness();
  for (const id of ids) harness.send({ type: "worker-seen", heartbeat: workerHeartbeat({ id }) });
  return harness;
}

const lost = (stream: string, index = 0, attempt = 1) => ({
  type: "lost",
  streamId: stream,
  chunkIndex: index,
  attempt,
  ownerId: "edge-1",
});

describe("losses", () => {
  it("tells the edge what a dead worker was speaking", () => {
    const harness = withWorkers("w1");
    harness.send(submit({ stream: "a" }), submit({ stream: "b" }));
    harness.send({ type: "worker-lost", workerId: "w1", epoch: "epoch-1" });
    expect(harness.verdicts).toEqual([lost("a")]);
    harness.send(submit({ stream: "a", attempt: 2 }), {
      type: "worker-seen",
      heartbeat: workerHeartbeat({ id: "w2" }),
    });
    expect(harness.drainInOrder()).toEqual(["a/0", "b/0", "a/0"]);
  });

  it("takes a changed epoch as the loss of all earlier work", () => {
    const harness = withWorkers("w1");
    harness.send(submit({ stream: "a" }));
    harness.send({ type: "worker-seen", heartbeat: workerHeartbeat({ id: "w1", epoch: "epoch-2" }) });
    expect(harness.verdicts).toEqual([lost("a")]);
    const batch = harness.batches[0]?.batch;
    if (batch === undefined) throw new RangeError("no batch");
    harness.send(done("w1", batch));
    harness.send(submit({ stream: "b" }), submit({ stream: "c" }));
    expect(harness.dispatched()).toEqual(["a/0", "b/0"]);
    harness.send({ type: "worker-lost", workerId: "w1", epoch: "epoch-1" });
    expect(harness.verdicts).toHaveLength(1);
  });

  it("is not confused by completions that come twice, late, or for nothing", () => {
    const harness = withWorkers("w1");
    harness.send(submit({ stream: "a" }), submit({ stream: "b" }), submit({ stream: "c" }));
    const batch = harness.batches[0]?.batch;
    if (batch === undefined) throw new RangeError("no batch");
    harness.send(done("w1", batch), done("w1", batch), { ...done("w1", batch), batchId: "unknown" }, done("w9", batch));
    expect(harness.dispatched()).toEqual(["a/0", "b/0"]);
  });

  it("gives up a batch that is long overdue, and trusts its slot again only later", () => {
    const harness = withWorkers("w1");
    harness.send(submit({ stream: "a" }), submit({ stream: "b" }));
    harness.advance(4999);
    expect(harness.verdicts).toEqual([]);
    harness.advance(2);
    expect(harness.verdicts).toEqual([lost("a")]);
    expect(harness.dispatched()).toEqual(["a/0"]);
    harness.advance(5000);
    expect(harness.dispatched()).toEqual(["a/0", "b/0"]);
    expect(harness.verdicts).toHaveLength(1);
  });

  it("frees the slot of an overdue batch as soon as it is done after all", () => {
    const harness = withWorkers("w1");
    harness.send(submit({ stream: "a" }), submit({ stream: "b" }));
    harness.advance(5001);
    harness.finish(0);
    expect(harness.dispatched()).toEqual(["a/0", "b/0"]);
  });

  it("does not report a chunk lost whose later attempt it holds already", () => {
    const harness = withWorkers("w1");
    harness.send(submit({ stream: "a" }), submit({ stream: "a", attempt: 2 }));
    harness.send({ type: "worker-lost", workerId: "w1", epoch: "epoch-1" });
    expect(harness.verdicts).toEqual([]);
    expect(harness.core.pending().queuedChunks).toBe(1);
  });

  it("ignores the same attempt twice, queued or running, and lets a higher one replace a queued one", () => {
    const harness = withWorkers("w1");
    harness.send(
      submit({ stream: "a" }),
      submit({ stream: "a" }),
      submit({ stream: "b" }),
      submit({ stream: "b" }),
      submit({ stream: "b", attempt: 2 }),
    );
    expect(harness.core.pending()).toEqual({ queuedChunks: 1, runningBatches: 1 });
    harness.finish();
    expect(harness.batches[1]?.batch.chunks[0]?.chunk.attempt).toBe(2);
  });

  it("drops the work of a dead edge: queued chunks go, running ones are cancelled, nobody is told", () => {
    const harness = withWorkers("w1");
    harness.send(submit({ stream: "a" }), submit({ stream: "a", index: 1 }), submit({ stream: "b", edge: "edge-2" }));
    harness.send({ type: "edge-lost", ownerId: "edge-1" });
    expect(harness.cancels).toEqual([{ workerId: "w1", streamId: "a", fromChunk: 0 }]);
    expect(harness.core.pending().queuedChunks).toBe(1);
    harness.send({ type: "worker-lost", workerId: "w1", epoch: "epoch-1" });
    expect(harness.verdicts).toEqual([]);
  });

  it("forwards a cancellation once to every worker that speaks the stream", () => {
    const harness = withWorkers("w1", "w2", "w3");
    for (const index of [0, 1, 2, 3]) harness.send(submit({ stream: "a", index }));
    harness.send({ type: "cancel", streamId: "a", fromChunk: 1 }, { type: "cancel", streamId: "a", fromChunk: 1 });
    expect(harness.cancels.toSorted((a, b) => a.workerId.localeCompare(b.workerId))).toEqual([
      { workerId: "w2", streamId: "a", fromChunk: 1 },
      { workerId: "w3", streamId: "a", fromChunk: 1 },
    ]);
    expect(harness.core.pending().queuedChunks).toBe(0);
  });

  it("gives no new work to a worker that drains or has gone to another scheduler, but lets it finish", () => {
    for (const change of [{ state: "draining" as const }, { schedulerId: "scheduler-2" }, { schedulerId: null }]) {
      const harness = withWorkers("w1");
      harness.send(
        submit({ stream: "a" }),
        { type: "worker-seen", heartbeat: workerHeartbeat({ id: "w1", ...change }) },
        submit({ stream: "b", index: 1 }),
      );
      harness.finish(0);
      expect(harness.dispatched()).toEqual(["a/0"]);
      expect(harness.verdicts).toEqual([]);
      harness.send({ type: "worker-seen", heartbeat: workerHeartbeat({ id: "w1" }) });
      expect(harness.dispatched()).toEqual(["a/0", "b/1"]);
    }
  });

  it("follows a worker that changes its slots or its models", () => {
    const harness = withWorkers("w1");
    harness.send(submit({ stream: "a" }), submit({ stream: "b" }), submit({ stream: "c" }));
    harness.send({ type: "worker-seen", heartbeat: workerHeartbeat({ id: "w1", slots: 2 }) });
    expect(harness.dispatched()).toEqual(["a/0", "b/0"]);
    harness.send({ type: "worker-seen", heartbeat: workerHeartbeat({ id: "w1", slots: 1 }) });
    harness.finish(0);
    expect(harness.dispatched()).toEqual(["a/0", "b/0"]);
    harness.finish(1);
    expect(harness.dispatched()).toEqual(["a/0", "b/0", "c/0"]);
    harness.send({ type: "worker-seen", heartbeat: workerHeartbeat({ id: "w1", models: [served("other")] }) });
    expect(harness.core.loads(0).map(({ model, slots, freeSlots }) => ({ model, slots, freeSlots }))).toEqual([
      { model: "other", slots: 1, freeSlots: 0 },
    ]);
  });

  it("refuses new streams of a model that nobody serves, and hands running ones back when no worker returns", () => {
    const harness = new CoreHarness();
    harness.send(submit({ stream: "new" }), submit({ stream: "old", index: 3 }), submit({ stream: "old", index: 4 }));
    expect(harness.verdicts).toMatchObject([{ type: "refused", streamId: "new", error: { code: "no_worker" } }]);
    harness.advance(2999);
    expect(harness.verdicts).toHaveLength(1);
    harness.advance(2);
    expect(harness.verdicts.slice(1)).toEqual([lost("old", 3), lost("old", 4)]);
    expect(harness.core.pending().queuedChunks).toBe(0);
    expect(harness.core.nextWakeMs()).toBeNull();
  });

  it("checks what runs after an interruption of the bus, and frees the slots at once", () => {
    const harness = withWorkers("w1");
    harness.send(submit({ stream: "a" }), submit({ stream: "b" }), { type: "bus-restored" });
    harness.advance(2001);
    expect(harness.verdicts).toEqual([lost("a")]);
    expect(harness.dispatched()).toEqual(["a/0", "b/0"]);
  });

  it("refuses new streams while running ones are late, but no reply of a conversation that was admitted", () => {
    const harness = new CoreHarness({ policy: { runningLateMs: 500 } });
    harness.send({ type: "worker-seen", heartbeat: workerHeartbeat({ id: "w1" }) }, submit({ stream: "busy" }));
    harness.send(submit({ stream: "late", index: 1 }));
    harness.advance(1500);
    harness.send(submit({ stream: "new" }), submit({ stream: "reply", isAdmitted: true }));
    expect(harness.verdicts).toMatchObject([{ type: "refused", streamId: "new", error: { code: "overloaded" } }]);
    expect(harness.drainInOrder()).toEqual(["busy/0", "reply/0", "late/1"]);
  });

  it("while draining refuses new streams, continues running ones, and gives back what cannot be done", () => {
    const harness = withWorkers("w1");
    harness.send(
      submit({ stream: "a" }),
      { type: "drain" },
      submit({ stream: "new" }),
      submit({ stream: "b", index: 1 }),
      submit({ stream: "c", index: 1 }),
    );
    expect(harness.verdicts).toMatchObject([{ type: "refused", streamId: "new", error: { code: "draining" } }]);
    harness.finish();
    expect(harness.dispatched()).toEqual(["a/0", "b/1"]);
    harness.send({ type: "abandon" });
    expect(harness.verdicts.slice(1)).toEqual([lost("c", 1)]);
    harness.finish();
    expect(harness.core.pending()).toEqual({ queuedChunks: 0, runningBatches: 0 });
  });

  it("while draining hands chunks back as soon as its last worker has left", () => {
    const harness = withWorkers("w1");
    harness.send(submit({ stream: "a" }), submit({ stream: "a", index: 1 }), { type: "drain" });
    harness.send({ type: "worker-seen", heartbeat: workerHeartbeat({ id: "w1", schedulerId: "scheduler-2" }) });
    harness.advance(1);
    expect(harness.verdicts).toEqual([lost("a", 1)]);
    harness.finish();
    expect(harness.core.pending()).toEqual({ queuedChunks: 0, runningBatches: 0 });
  });
});
