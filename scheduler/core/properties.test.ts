import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { howMany } from "#common/testing/how-many";
import type { Batch, ServiceTier } from "#protocol/bus/scheduling";
import { done, recognizer, served, submit, workerHeartbeat } from "../testing/fixtures.js";
import { CoreHarness } from "../testing/harness.js";

type Action =
  | {
      kind: "submit";
      stream: number;
      attempt: number;
      index: number;
      tier: ServiceTier;
      slackMs: number;
      size: number;
      model: string;
    }
  | { kind: "finish" | "advance" | "fail"; pick: number }
  | { kind: "cancel"; stream: number; index: number; count: number }
  | {
      kind: "worker";
      worker: number;
      slots: number;
      reserved: number;
      epoch: number;
      attached: boolean;
      batching: boolean;
    }
  | { kind: "lose-worker"; worker: number }
  | { kind: "lose-edge"; edge: number }
  | { kind: "bus-restored" };

/** Streams from this one on are audio: their pieces may go in any order. */
const FIRST_AUDIO = 5;
const stream = fc.nat(7);
const index = fc.nat(4);
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant("submit" as const),
      stream,
      index,
      attempt: fc.integer({ min: 1, max: 3 }),
      tier: fc.constantFrom<ServiceTier>("live", "free", "bulk"),
      slackMs: fc.integer({ min: -500, max: 4000 }),
      size: fc.integer({ min: 1, max: 120 }),
      model: fc.constantFrom("voice", "other"),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constantFrom("finish" as const, "advance" as const, "fail" as const),
      pick: fc.nat(3000),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("cancel" as const),
      stream,
      index,
      count: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("worker" as const),
      worker: fc.nat(2),
      slots: fc.integer({ min: 1, max: 3 }),
      reserved: fc.nat(2),
      epoch: fc.nat(1),
      attached: fc.boolean(),
      batching: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("lose-worker" as const), worker: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("lose-edge" as const), edge: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("bus-restored" as const) }) },
);

/** Runs actions against a core, keeping its own simple book of what must be true. */
class Witness {
  readonly harness = new CoreHarness({ policy: { queueChunks: 12, hardQueueChunks: 30 } });
  /** Chunks handed in and not yet accounted for, as "stream/index/attempt". */
  readonly open = new Set<string>();
  readonly workers = new Map<string, { epoch: string; slots: number; reserved: number; held: Map<string, Batch> }>();
  /** Chunks that run and that nobody waits for any more, as "batch/stream/index": handed in again, they are news. */
  readonly #unwanted = new Set<string>();
  readonly #edgeOf = (streamNumber: number): string => `edge-${streamNumber % 2}`;
  #batchesSeen = 0;
  #verdictsSeen = 0;

  do(act: Action): void {
    const { harness } = this;
    if (act.kind === "submit") {
      const audio = act.stream >= FIRST_AUDIO ? { task: "transcribe" as const, model: "asr" } : {};
      const facts = { ...act, stream: `s${act.stream}`, edge: this.#edgeOf(act.stream), ...audio };
      const attempts = [1, 2, 3].filter((attempt) => this.open.has(`s${act.stream}/${act.index}/${attempt}`));
      const isNews = Math.max(0, ...attempts, ...this.#runningAttempts(`s${act.stream}`, act.index)) < act.attempt;
      if (isNews) {
        for (const attempt of attempts) this.open.delete(`s${act.stream}/${act.index}/${attempt}`);
        this.open.add(`s${act.stream}/${act.index}/${act.attempt}`);
      }
      harness.send(submit(facts));
    } else if (act.kind === "finish" || act.kind === "fail") {
      const sent = harness.batches[act.pick % Math.max(1, harness.batches.length)];
      if (sent === undefined) return;
      const epoch = this.#epochOf.get(sent.batch.batchId) ?? "";
      const worker = this.workers.get(sent.workerId);
      if (worker?.epoch === epoch) worker.held.delete(sent.batch.batchId);
      harness.send(done(sent.workerId, sent.batch, act.kind === "finish" ? "spoken" : "failed", epoch));
    } else if (act.kind === "advance") {
      // Overdue batches give their slots back without a word from the worker; that is another test's matter.
      harness.advance(Math.min(act.pick, 16));
    } else if (act.kind === "cancel") {
      // Three in a row stand for all that follow.
      const toChunk = act.count === 3 ? undefined : act.index + act.count - 1;
      const isOfRange = (streamId: string, at: number): boolean =>
        streamId === `s${act.stream}` && at >= act.index && at <= (toChunk ?? at);
      for (const key of this.open) {
        const [name = "", at] = key.split("/");
        if (isOfRange(name, Number(at))) this.open.delete(key);
      }
      this.#unwant(isOfRange);
      harness.send({ type: "cancel", streamId: `s${act.stream}`, fromChunk: act.index, toChunk });
    } else if (act.kind === "worker") {
      this.#heartbeat(act);
    } else if (act.kind === "lose-worker") {
      const id = `w${act.worker}`;
      const epoch = this.workers.get(id)?.epoch ?? "none";
      this.workers.delete(id);
      harness.send({ type: "worker-lost", workerId: id, epoch });
    } else if (act.kind === "lose-edge") {
      const isOfEdge = (streamId: string): boolean => this.#edgeOf(Number(streamId.slice(1))) === `edge-${act.edge}`;
      for (const key of this.open) if (isOfEdge(key.split("/")[0] ?? "")) this.open.delete(key);
      this.#unwant(isOfEdge);
      harness.send({ type: "edge-lost", ownerId: `edge-${act.edge}` });
    }
    this.#check();
  }

  readonly #epochOf = new Map<string, string>();

  #heldBatches(): CoreHarness["batches"] {
    const held = new Set([...this.workers.values()].flatMap((worker) => [...worker.held.keys()]));
    return this.harness.batches.filter(({ batch }) => held.has(batch.batchId));
  }

  #unwant(isUnwanted: (streamId: string, chunkIndex: number) => boolean): void {
    for (const { batch } of this.#heldBatches()) {
      for (const { chunk } of batch.chunks) {
        if (isUnwanted(chunk.streamId, chunk.chunkIndex))
          this.#unwanted.add(`${batch.batchId}/${chunk.streamId}/${chunk.chunkIndex}`);
      }
    }
  }

  #runningAttempts(name: string, at: number): number[] {
    return this.#heldBatches().flatMap(({ batch }) =>
      batch.chunks
        .filter(
          ({ chunk }) =>
            chunk.streamId === name && chunk.chunkIndex === at && !this.#unwanted.has(`${batch.batchId}/${name}/${at}`),
        )
        .map(({ chunk }) => chunk.attempt),
    );
  }

  #heartbeat(act: Extract<Action, { kind: "worker" }>): void {
    const id = `w${act.worker}`;
    const epoch = `epoch-${act.epoch}`;
    const known = this.workers.get(id);
    if (known === undefined || known.epoch !== epoch)
      this.workers.set(id, { epoch, slots: act.slots, reserved: act.reserved, held: new Map() });
    else Object.assign(known, { slots: act.slots, reserved: act.reserved });
    const models = [
      served("voice", act.batching ? 4 : 1),
      recognizer("asr", act.batching ? 4 : 1),
      ...(act.worker > 0 ? [served("other")] : []),
    ];
    const schedulerId = act.attached ? "scheduler-1" : "scheduler-2";
    this.harness.send({
      type: "worker-seen",
      heartbeat: workerHeartbeat({ id, epoch, slots: act.slots, reservedSlots: act.reserved, schedulerId, models }),
    });
  }

  #check(): void {
    const { harness } = this;
    for (const { workerId, batch } of harness.batches.slice(this.#batchesSeen)) {
      const worker = this.workers.get(workerId);
      if (worker === undefined) throw new RangeError(`${workerId} is dead and got work`);
      this.#epochOf.set(batch.batchId, worker.epoch);
      worker.held.set(batch.batchId, batch);
      const onReserved = [...worker.held.values()].filter(({ reserved }) => reserved === true).length;
      expect(onReserved).toBeLessThanOrEqual(batch.reserved === true ? worker.reserved : worker.held.size);
      if (batch.reserved !== true) expect(worker.held.size - onReserved).toBeLessThanOrEqual(worker.slots);
      else expect(batch.chunks.map(({ chunk }) => chunk.task)).not.toContain("transcribe");
      expect(new Set(batch.chunks.map(({ chunk }) => chunk.model))).toEqual(new Set([batch.model]));
      for (const { chunk } of batch.chunks) {
        // Taken off the book exactly once: nothing is dispatched twice, nor after it was cancelled or replaced.
        expect(this.open.delete(`${chunk.streamId}/${chunk.chunkIndex}/${chunk.attempt}`)).toBe(true);
        if (chunk.task !== "speak") continue;
        const earlier = [...this.open]
          .filter((key) => key.startsWith(`${chunk.streamId}/`))
          .map((key) => Number(key.split("/")[1]));
        const inThisBatch = batch.chunks
          .filter((other) => other.chunk.streamId === chunk.streamId)
          .map((other) => other.chunk.chunkIndex);
        for (const at of earlier) if (!inThisBatch.includes(at)) expect(at).toBeGreaterThan(chunk.chunkIndex);
      }
    }
    this.#batchesSeen = harness.batches.length;
    for (const verdict of harness.verdicts.slice(this.#verdictsSeen)) {
      if (verdict.type === "refused")
        expect(this.open.delete(`${verdict.streamId}/${verdict.chunkIndex}/${verdict.attempt}`)).toBe(true);
      else this.open.delete(`${verdict.streamId}/${verdict.chunkIndex}/${verdict.attempt}`);
    }
    this.#verdictsSeen = harness.verdicts.length;
    expect(harness.faults).toEqual([]);
    expect(harness.core.pending().queuedChunks).toBe(this.open.size);
    expect(harness.core.pending().queuedChunks).toBeLessThanOrEqual(30);
  }

  /** Gives every worker back and lets everything finish. */
  settle(): void {
    for (const worker of [0, 1, 2])
      this.do({ kind: "worker", worker, slots: 2, reserved: 1, epoch: 7, attached: true, batching: false });
    for (let round = 0; round < 200 && this.open.size > 0; round += 1) {
      this.harness.batches.forEach((_, pick) => this.do({ kind: "finish", pick }));
    }
  }
}

describe("whatever happens", () => {
  it("no worker gets more than its credits, streams keep their order, and every chunk is dispatched, refused, cancelled or replaced", () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 120 }), (actions) => {
        const witness = new Witness();
        for (const act of actions) witness.do(act);
        witness.settle();
        expect([...witness.open]).toEqual([]);
      }),
      { numRuns: howMany(300) },
    );
  });
});
