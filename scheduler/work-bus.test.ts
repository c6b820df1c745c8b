import { describe, expect, it } from "vitest";
import { VirtualClock } from "#common/clock";
import { createLogger } from "#common/log";
import { type Heartbeat, type LifecycleState, membersSubject } from "#protocol/bus/membership";
import {
  type Batch,
  ownerVerdictSubject,
  schedulerDoneSubject,
  schedulerSubject,
  type Verdict,
  type WorkerInbound,
  workerSubject,
} from "#protocol/bus/scheduling";
import { SchedulerCore } from "./core/scheduler-core.js";
import { bindScheduler, type BoundScheduler } from "./work-bus.js";
import { done, policyWith, submit, workerHeartbeat } from "./testing/fixtures.js";
import { MemoryBus } from "./testing/memory-bus.js";
import type { SchedulerTelemetry } from "./telemetry/scheduler-telemetry.js";

const noTelemetry: SchedulerTelemetry = { effect: (effect) => effect, fault: () => undefined };

class Cluster {
  readonly bus = new MemoryBus();
  readonly clock = new VirtualClock();
  state: LifecycleState = "ready";
  readonly scheduler: BoundScheduler;

  constructor() {
    const core = new SchedulerCore({ schedulerId: "scheduler-1", epoch: "e", policy: policyWith() });
    const { bus, clock } = this;
    this.scheduler = bindScheduler({
      bus,
      clock,
      log: createLogger("test", "fatal"),
      core,
      id: "scheduler-1",
      epoch: "e",
      state: () => this.state,
      telemetry: noTelemetry,
    });
  }

  worker(id: string, changes: Parameters<typeof workerHeartbeat>[0] | object = {}): void {
    this.bus.publish(membersSubject, workerHeartbeat({ id, ...changes }));
  }

  /** Keeps a worker alive for a while. */
  live(durationMs: number, ...workerIds: string[]): void {
    for (let passedMs = 0; passedMs < durationMs; passedMs += 250) {
      for (const id of workerIds) this.worker(id);
      this.clock.advance(250);
    }
  }

  submit(facts: Parameters<typeof submit>[0]): void {
    this.bus.publish(schedulerSubject("scheduler-1"), submit(facts));
  }

  batches(workerId: string): Batch[] {
    return this.bus.on<WorkerInbound>(workerSubject(workerId)).filter((message) => message.type === "batch");
  }

  finish(workerId: string): void {
    const batch = this.batches(workerId).at(-1);
    if (batch !== undefined) this.bus.publish(schedulerDoneSubject("scheduler-1"), done(workerId, batch));
  }

  verdicts(): Verdict[] {
    return this.bus.on<Verdict>(ownerVerdictSubject("edge-1"));
  }
}

describe("the scheduler on the bus", () => {
  it("takes submissions, sends batches, takes completions and sends verdicts", () => {
    const cluster = new Cluster();
    cluster.submit({ stream: "too-early" });
    expect(cluster.verdicts()).toMatchObject([{ type: "refused", error: { code: "no_worker" } }]);
    cluster.worker("w1");
    cluster.submit({ stream: "a" });
    cluster.submit({ stream: "b" });
    cluster.finish("w1");
    expect(cluster.batches("w1").map((batch) => batch.chunks[0]?.chunk.streamId)).toEqual(["a", "b"]);
  });

  it("tells its load with every heartbeat", () => {
    const cluster = new Cluster();
    cluster.worker("w1", { slots: 3 });
    cluster.submit({ stream: "a" });
    cluster.clock.advance(250);
    const heartbeat = cluster.bus
      .on<Heartbeat>(membersSubject)
      .filter((member) => member.role === "scheduler")
      .at(-1);
    expect(heartbeat).toMatchObject({
      state: "ready",
      loads: [{ model: "voice", slots: 3, freeSlots: 2, queuedChunks: 0, predictedWaitMs: 0 }],
    });
  });

  it("says at once that it has nothing to do, where it said last that streams must wait", () => {
    const cluster = new Cluster();
    cluster.worker("w1", { slots: 1 });
    const told = (): (number | undefined)[] =>
      cluster.bus
        .on<Heartbeat>(membersSubject)
        .flatMap((member) => (member.role === "scheduler" ? [member.loads[0]?.room?.atOnce] : []));
    cluster.submit({ stream: "a" });
    cluster.finish("w1");
    expect(told()).toEqual([undefined]);
    cluster.clock.advance(250);
    cluster.submit({ stream: "b" });
    cluster.submit({ stream: "c" });
    cluster.clock.advance(250);
    cluster.finish("w1");
    expect(told()).toEqual([undefined, 1, 0]);
    cluster.finish("w1");
    cluster.submit({ stream: "d" });
    cluster.finish("w1");
    expect(told()).toEqual([undefined, 1, 0, 1]);
  });

  it("notices that a worker has fallen silent", () => {
    const cluster = new Cluster();
    cluster.worker("w1");
    cluster.submit({ stream: "a" });
    cluster.clock.advance(1500);
    expect(cluster.verdicts()).toEqual([]);
    cluster.clock.advance(500);
    expect(cluster.verdicts()).toEqual([{ type: "lost", streamId: "a", chunkIndex: 0, attempt: 1 }]);
  });

  it("does not hold silence against anyone while the bus is away, and checks what ran when it is back", () => {
    const cluster = new Cluster();
    cluster.worker("w1");
    cluster.submit({ stream: "a" });
    cluster.bus.disconnect();
    cluster.clock.advance(4000);
    expect(cluster.verdicts()).toEqual([]);
    cluster.bus.reconnect();
    cluster.live(3000, "w1");
    expect(cluster.verdicts()).toEqual([{ type: "lost", streamId: "a", chunkIndex: 0, attempt: 1 }]);
    cluster.submit({ stream: "a", attempt: 2 });
    expect(cluster.batches("w1").map((batch) => batch.chunks[0]?.chunk.attempt)).toEqual([1, 2]);
  });

  it.each(["edge", "control-plane"] as const)("drops what a lost %s left waiting", (role) => {
    const cluster = new Cluster();
    cluster.bus.publish(membersSubject, {
      type: "heartbeat",
      role,
      id: "edge-1",
      epoch: "e",
      state: "ready",
    } satisfies Heartbeat);
    cluster.worker("w1", { slots: 1 });
    cluster.submit({ stream: "a" });
    cluster.submit({ stream: "b" });
    cluster.live(2500, "w1");
    cluster.finish("w1");
    expect(cluster.batches("w1").map((batch) => batch.chunks[0]?.chunk.streamId)).toEqual(["a"]);
  });

  it("wakes up by itself for an overdue batch", () => {
    const cluster = new Cluster();
    cluster.worker("w1");
    cluster.submit({ stream: "a" });
    cluster.live(5250, "w1");
    expect(cluster.verdicts()).toEqual([{ type: "lost", streamId: "a", chunkIndex: 0, attempt: 1 }]);
  });

  it("goes on after a message that makes no sense", () => {
    const cluster = new Cluster();
    cluster.worker("w1");
    cluster.bus.publish(schedulerSubject("scheduler-1"), { type: "submit", chunk: null });
    cluster.bus.publish(schedulerSubject("scheduler-1"), { type: "what" });
    cluster.bus.publish(schedulerDoneSubject("scheduler-1"), { type: "done" });
    cluster.submit({ stream: "a" });
    expect(cluster.batches("w1")).toHaveLength(1);
  });

  it("drains: refuses what is new, finishes what it has, then is done", async () => {
    const cluster = new Cluster();
    cluster.worker("w1");
    cluster.submit({ stream: "a" });
    cluster.state = "draining";
    const drained = cluster.scheduler.drain(10_000);
    cluster.submit({ stream: "new" });
    expect(cluster.verdicts()).toMatchObject([{ type: "refused", streamId: "new", error: { code: "draining" } }]);
    cluster.finish("w1");
    await drained;
    cluster.state = "stopped";
    cluster.scheduler.stop();
    expect(cluster.bus.on<Heartbeat>(membersSubject).at(-1)).toMatchObject({ role: "scheduler", state: "stopped" });
    cluster.submit({ stream: "late" });
    expect(cluster.batches("w1")).toHaveLength(1);
  });

  it("gives back what it cannot finish within the drain's deadline", async () => {
    const cluster = new Cluster();
    cluster.worker("w1");
    cluster.submit({ stream: "a" });
    cluster.submit({ stream: "a", index: 1 });
    cluster.state = "draining";
    const drained = cluster.scheduler.drain(2000);
    cluster.live(1500, "w1");
    await drained;
    expect(cluster.verdicts()).toEqual([{ type: "lost", streamId: "a", chunkIndex: 1, attempt: 1 }]);
  });
});
