import { describe, expect, it } from "vitest";
import { done, submit, workerHeartbeat } from "../testing/fixtures.js";
import { CoreHarness } from "../testing/harness.js";

describe("several schedulers at once", () => {
  const bothReceive = (harnesses: readonly CoreHarness[], workerId: string, schedulerId: string): void => {
    for (const harness of harnesses)
      harness.send({ type: "worker-seen", heartbeat: workerHeartbeat({ id: workerId, schedulerId }) });
  };

  it("each spends only the credits of its own workers", () => {
    const harnesses = [new CoreHarness({ id: "scheduler-1" }), new CoreHarness({ id: "scheduler-2" })];
    for (const [id, schedulerId] of [
      ["w1", "scheduler-1"],
      ["w2", "scheduler-2"],
      ["w3", "scheduler-2"],
    ] as const)
      bothReceive(harnesses, id, schedulerId);
    for (const harness of harnesses) for (const stream of ["a", "b", "c", "d"]) harness.send(submit({ stream }));
    expect(harnesses.map((harness) => harness.batches.map((sent) => sent.workerId).toSorted())).toEqual([
      ["w1"],
      ["w2", "w3"],
    ]);
    expect(harnesses.map((harness) => harness.core.loads(0)[0]?.slots)).toEqual([1, 2]);
  });

  it("nothing is lost when one dies: its workers and, by resubmission, its chunks go to the other", () => {
    const [dying, other] = [new CoreHarness({ id: "scheduler-1" }), new CoreHarness({ id: "scheduler-2" })];
    bothReceive([dying, other], "w1", "scheduler-1");
    bothReceive([dying, other], "w2", "scheduler-2");
    for (let index = 0; index < 10; index += 1) {
      dying.send(submit({ stream: "a", index }));
      other.send(submit({ stream: "b", index }));
    }
    dying.finish();
    const spoken = dying.batches.slice(0, 1).flatMap(({ batch }) => batch.chunks.map(({ chunk }) => chunk.chunkIndex));
    // The edge resubmits what it has not received; the worker is still busy with the dead scheduler's batch and comes
    // over.
    for (let index = 0; index < 10; index += 1)
      if (!spoken.includes(index)) other.send(submit({ stream: "a", index, attempt: 2 }));
    bothReceive([other], "w1", "scheduler-2");
    for (const { workerId, batch } of dying.batches) other.send(done(workerId, batch));
    other.drainInOrder();
    const received = new Set([...other.dispatched(), ...dying.dispatched().slice(0, 1)]);
    for (const stream of ["a", "b"])
      for (let index = 0; index < 10; index += 1) expect(received).toContain(`${stream}/${index}`);
    expect(other.verdicts).toEqual([]);
    expect(other.core.pending()).toEqual({ queuedChunks: 0, runningBatches: 0 });
    expect(new Set(other.batches.map((sent) => sent.workerId))).toEqual(new Set(["w1", "w2"]));
  });

  it("batch ids of different processes never meet", () => {
    const harnesses = [new CoreHarness({ id: "scheduler-1" }), new CoreHarness({ id: "scheduler-2" })];
    const ids = harnesses.flatMap((harness, number) => {
      harness.send({
        type: "worker-seen",
        heartbeat: workerHeartbeat({ id: "w1", schedulerId: `scheduler-${number + 1}` }),
      });
      for (let index = 0; index < 5; index += 1) harness.send(submit({ stream: "a", index }));
      harness.drainInOrder();
      return harness.batches.map(({ batch }) => batch.batchId);
    });
    expect(ids).toHaveLength(10);
    expect(new Set(ids).size).toBe(10);
  });
});
