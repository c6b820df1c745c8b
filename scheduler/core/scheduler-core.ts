import type { SchedulerLoad } from "#protocol/bus/membership";
import { type BatchDone, type Cancel, type Submit, type WorkChunk, workSize } from "#protocol/bus/scheduling";
import { type ServiceError, toErrorRecord } from "#protocol/errors";
import { admitContinuation, admitNewStream } from "../admission/admit.js";
import { type PredictedWait, predictWait } from "../admission/predicted-wait.js";
import { decide } from "../batching/decide.js";
import { LatencyBook } from "../latency/latency-model.js";
import type { SchedulingPolicy } from "../policy.js";
import { WorkQueue } from "../queue/work-queue.js";
import { waitingChunk } from "../queue/waiting-chunk.js";
import { type RunningBatch, RunningBatches, type RunningChunk } from "../workers/running-batches.js";
import type { WorkerPool } from "../workers/worker-pool.js";
import { type WorkerHeartbeat, WorkerRegistry } from "../workers/worker-registry.js";
import { Dispatcher } from "./dispatcher.js";
import type { SchedulerEffect, SchedulerEvent } from "./events.js";

/** What one event led to. */
export interface Step {
  /** Messages to send, in order. */
  effects: SchedulerEffect[];
  /** Errors that were survived, to be logged. */
  faults: unknown[];
}

/** How soon a pool is tried again after an error in it. */
const RETRY_AFTER_FAULT_MS = 50;
/** After an interruption of the bus, a batch has this long to be reported done. */
const REVERIFY_MS = 2000;

/**
 * The scheduler as a deterministic state machine: events in, messages out, time passed in. It never throws and never
 * waits; every event costs O(log n) in the chunks queued and the workers attached. See `events.ts` for what can happen
 * and `policy.ts` for the numbers.
 */
export class SchedulerCore {
  readonly #policy: SchedulingPolicy;
  readonly #queue: WorkQueue;
  readonly #workers: WorkerRegistry;
  readonly #running = new RunningBatches();
  readonly #book = new LatencyBook();
  readonly #dispatcher: Dispatcher;
  /** Models with chunks in line and no worker, and since when. */
  readonly #orphans = new Map<string, number>();
  readonly #changedModels = new Set<string>();
  readonly #changedPools = new Set<WorkerPool>();
  #effects: SchedulerEffect[] = [];
  #faults: unknown[] = [];
  #sequence = 0;
  #draining = false;

  /** `epoch` must differ between process starts: it begins the batch ids. */
  constructor(options: { schedulerId: string; epoch: string; policy: SchedulingPolicy; decide?: typeof decide }) {
    this.#policy = options.policy;
    this.#queue = new WorkQueue(options.policy);
    this.#workers = new WorkerRegistry(options.schedulerId, options.policy);
    this.#dispatcher = new Dispatcher({
      schedulerId: options.schedulerId,
      epoch: options.epoch,
      policy: options.policy,
      decide: options.decide ?? decide,
      queue: this.#queue,
      running: this.#running,
      book: this.#book,
      emit: (effect) => this.#effects.push(effect),
      headChanged: (model) => this.#changedModels.add(model),
      fault: (error) => this.#faults.push(error),
    });
  }

  /**
   * Takes an event in and gives what it led to. Whatever goes wrong inside ends up in `faults`; the scheduler goes on.
   */
  handle(event: SchedulerEvent, nowMs: number): Step {
    this.#effects = [];
    this.#faults = [];
    this.#guard(() => this.#apply(event, nowMs));
    this.#guard(() => this.#expire(nowMs));
    this.#settle(nowMs);
    return { effects: this.#effects, faults: this.#faults };
  }

  /** When to send a `tick`, if nothing else happens before; null when there is nothing to wait for. */
  nextWakeMs(): number | null {
    let wakeMs = this.#running.nextDueMs() ?? Number.POSITIVE_INFINITY;
    for (const sinceMs of this.#orphans.values()) wakeMs = Math.min(wakeMs, sinceMs + this.#orphanGraceMs());
    for (const pool of this.#workers.pools()) wakeMs = Math.min(wakeMs, pool.waitUntilMs ?? Number.POSITIVE_INFINITY);
    return Number.isFinite(wakeMs) ? wakeMs : null;
  }

  /** What this scheduler can take now, per model served. */
  loads(nowMs: number): SchedulerLoad[] {
    return this.#workers.servedModels().map((model) => {
      const pools = this.#workers.poolsOf(model);
      const wait = this.#predictWait(pools, model, nowMs);
      return {
        model,
        slots: pools.reduce((sum, pool) => sum + pool.general.slots, 0),
        freeSlots: pools.reduce((sum, pool) => sum + pool.general.free, 0),
        queuedChunks: this.#queue.queuedOf(model),
        predictedWaitMs: wait.liveMs,
      };
    });
  }

  /** Work in hand: chunks that wait and batches that run. */
  pending(): { queuedChunks: number; runningBatches: number } {
    return { queuedChunks: this.#queue.size, runningBatches: this.#running.size };
  }

  #apply(event: SchedulerEvent, nowMs: number): void {
    switch (event.type) {
      case "submit":
        return this.#submit(event, nowMs);
      case "cancel":
        return this.#cancel(event, nowMs);
      case "done":
        return this.#done(event, nowMs);
      case "worker-seen":
        return this.#workerSeen(event.heartbeat);
      case "worker-lost":
        if (this.#workers.get(event.workerId)?.epoch === event.epoch) this.#workerLost(event.workerId);
        return;
      case "edge-lost":
        return this.#edgeLost(event.ownerId);
      case "bus-restored":
        return this.#reverify(nowMs);
      case "drain":
        this.#draining = true;
        return;
      case "abandon":
        return this.#abandon();
      case "tick":
        return;
    }
  }

  #submit(submit: Submit, nowMs: number): void {
    const { chunk } = submit;
    const { streamId, chunkIndex, attempt } = chunk;
    const queuedAttempt = this.#queue.attemptOf(streamId, chunkIndex);
    // The same attempt twice is the bus's or the edge's repetition; a lower one comes too late.
    if (Math.max(queuedAttempt, this.#running.attemptOf(streamId, chunkIndex)) >= attempt) return;
    if (queuedAttempt === 0) {
      const refusal = this.#admit(submit, nowMs);
      if (refusal !== null) {
        const error = toErrorRecord(refusal);
        this.#effects.push({
          to: "edge",
          ownerId: chunk.ownerId,
          message: { type: "refused", streamId, chunkIndex, attempt, error },
        });
        return;
      }
    }
    const serviceMs = this.#serviceMs(chunk, this.#workers.poolsOf(chunk.model));
    this.#queue.add(waitingChunk(submit, { sequence: this.#sequence++, serviceMs, nowMs }), nowMs);
    this.#changedModels.add(chunk.model);
  }

  #admit({ chunk, tier }: Submit, nowMs: number): ServiceError | null {
    const queuedChunks = this.#queue.size;
    const beyondMemory = admitContinuation(queuedChunks, this.#policy);
    const isNewStream = chunk.chunkIndex === 0 && chunk.attempt === 1;
    if (beyondMemory !== null || !isNewStream) return beyondMemory;
    const pools = this.#workers.poolsOf(chunk.model);
    const facts = {
      model: chunk.model,
      tier,
      draining: this.#draining,
      served: pools.length > 0,
      queuedChunks,
      wait: this.#predictWait(pools, chunk.model, nowMs),
      // Nobody waits for a first audio here: how long a piece takes says nothing about whether there is room.
      ownMs: chunk.task === "speak" ? this.#serviceMs(chunk, pools) : 0,
      runningLateMs: this.#runningLateMs(pools, nowMs),
    };
    return admitNewStream(facts, this.#policy);
  }

  #predictWait(pools: readonly WorkerPool[], model: string, nowMs: number): PredictedWait {
    const speaks = pools[0]?.models.get(model)?.task === "speak";
    return predictWait(pools, this.#queue, this.#book, { freeFloor: this.#policy.floors.free ?? 0, speaks, nowMs });
  }

  #serviceMs(chunk: WorkChunk, pools: readonly WorkerPool[]): number {
    const provider = pools[0]?.models.get(chunk.model)?.provider;
    return provider === undefined ? 0 : this.#book.of(chunk.model, provider).predictP95Ms(1, workSize(chunk));
  }

  #runningLateMs(pools: readonly WorkerPool[], nowMs: number): number {
    let lateMs = Number.NEGATIVE_INFINITY;
    for (const pool of pools) {
      for (const name of pool.models.keys()) {
        const urgent = this.#queue.model(name)?.head("urgent");
        if (urgent !== undefined) lateMs = Math.max(lateMs, nowMs - urgent.startByMs);
      }
    }
    return lateMs;
  }

  #cancel(cancel: Cancel, nowMs: number): void {
    const { streamId, fromChunk, toChunk = Number.POSITIVE_INFINITY } = cancel;
    const { next } = this.#queue.cancel(cancel, nowMs);
    if (next !== null) this.#changedModels.add(next.chunk.model);
    const unwanted = (chunk: RunningChunk): boolean =>
      chunk.streamId === streamId && chunk.chunkIndex >= fromChunk && chunk.chunkIndex <= toChunk;
    this.#cancelRunning(this.#running.ofStream(streamId), unwanted, cancel);
  }

  /** Workers are told the range of each stream that is unwanted. */
  #cancelRunning(
    batches: readonly RunningBatch[],
    unwanted: (chunk: RunningChunk) => boolean,
    range: Pick<Cancel, "fromChunk" | "toChunk">,
  ): void {
    const reported = new Set<string>();
    for (const batch of batches) {
      for (const chunk of batch.chunks) {
        if (chunk.cancelled || !unwanted(chunk)) continue;
        chunk.cancelled = true;
        const key = `${batch.worker.id}\n${chunk.streamId}`;
        if (reported.has(key)) continue;
        reported.add(key);
        this.#effects.push({ to: "worker", workerId: batch.worker.id, message: cancelOf(chunk.streamId, range) });
      }
    }
  }

  #done(done: BatchDone, nowMs: number): void {
    const batch = this.#running.get(done.batchId);
    if (batch === undefined || batch.worker.id !== done.workerId || batch.worker.epoch !== done.epoch) return;
    // The credit first: whatever is wrong with the rest of the message, the slot is free.
    this.#free(batch);
    const outcomeOf = new Map(
      done.outcomes.map((outcome) => [`${outcome.streamId}\n${outcome.chunkIndex}`, outcome.result]),
    );
    const missing = batch.chunks.filter((chunk) => !outcomeOf.has(`${chunk.streamId}\n${chunk.chunkIndex}`));
    if (batch.expected) this.#giveUp(missing);
    const complete =
      missing.length === 0 && done.outcomes.every(({ result }) => result === "spoken" || result === "recognized");
    if (!complete) return;
    this.#book
      .of(batch.model, batch.provider)
      .observe(batch.chunks.length, batch.longestSize, nowMs - batch.dispatchedAtMs);
  }

  #workerSeen(heartbeat: WorkerHeartbeat): void {
    const known = this.#workers.get(heartbeat.id);
    if (known !== undefined && known.epoch !== heartbeat.epoch) this.#workerLost(heartbeat.id);
    const before = this.#workers.get(heartbeat.id)?.models ?? [];
    if (!this.#workers.receive(heartbeat)) return;
    for (const model of [...before, ...heartbeat.models]) this.#changedModels.add(model.name);
  }

  #workerLost(workerId: string): void {
    const worker = this.#workers.get(workerId);
    if (worker === undefined) return;
    const batches = this.#running.ofWorker(worker);
    for (const batch of batches) this.#running.remove(batch);
    this.#workers.purge(workerId);
    for (const model of worker.models) this.#changedModels.add(model.name);
    for (const batch of batches) if (batch.expected) this.#giveUp(batch.chunks);
  }

  /** Edges die rarely: looking through everything that runs is cheaper than keeping an index for it. */
  #edgeLost(ownerId: string): void {
    this.#queue.dropEdge(ownerId);
    this.#cancelRunning(this.#running.all(), (chunk) => chunk.ownerId === ownerId, { fromChunk: 0 });
  }

  #reverify(nowMs: number): void {
    for (const batch of this.#running.all()) {
      batch.maybeMissed = true;
      const p95Ms = this.#book.of(batch.model, batch.provider).predictP95Ms(batch.chunks.length, batch.longestSize);
      this.#running.setDue(batch, nowMs + Math.max(REVERIFY_MS, 2 * p95Ms));
    }
  }

  #abandon(): void {
    for (const waiting of this.#queue.all()) {
      this.#queue.cancel({ streamId: waiting.chunk.streamId, fromChunk: 0 }, 0);
      this.#lost(waiting.chunk);
    }
  }

  /** Lets go of what is due: batches that do not come back, and chunks that no worker will ever speak. */
  #expire(nowMs: number): void {
    for (;;) {
      const batch = this.#running.nextDue(nowMs);
      if (batch === null) break;
      const wasExpected = batch.expected;
      batch.expected = false;
      // A silent engine may be stuck: its slot stays taken for as long again. A missed message says nothing about the
      // engine.
      if (wasExpected && !batch.maybeMissed)
        this.#running.setDue(batch, nowMs + Math.max(1, nowMs - batch.dispatchedAtMs));
      else this.#free(batch);
      if (wasExpected) this.#giveUp(batch.chunks);
    }
    for (const [model, sinceMs] of this.#orphans) {
      if (nowMs - sinceMs >= this.#orphanGraceMs()) this.#returnOrphans(model, nowMs);
    }
  }

  #orphanGraceMs(): number {
    return this.#draining ? 0 : this.#policy.orphanGraceMs;
  }

  #returnOrphans(model: string, nowMs: number): void {
    this.#orphans.delete(model);
    const line = this.#queue.model(model);
    for (;;) {
      const batch = line?.lookAhead("first", 256) ?? [];
      if (batch.length === 0) return;
      for (const waiting of batch) {
        const next = this.#queue.remove(waiting, nowMs);
        if (next !== null) this.#changedModels.add(next.chunk.model);
        this.#lost(waiting.chunk);
      }
    }
  }

  #free(batch: RunningBatch): void {
    this.#running.remove(batch);
    if (batch.worker.pool !== null) this.#changedPools.add(batch.worker.pool);
    this.#workers.release(batch.worker, batch.slot);
  }

  #giveUp(chunks: readonly RunningChunk[]): void {
    for (const chunk of chunks) if (!chunk.cancelled) this.#lost(chunk);
  }

  /** Tells the edge, unless it has moved on to a later attempt by itself. */
  #lost({
    streamId,
    chunkIndex,
    attempt,
    ownerId,
  }: Pick<RunningChunk, "streamId" | "chunkIndex" | "attempt" | "ownerId">): void {
    const latest = Math.max(this.#queue.attemptOf(streamId, chunkIndex), this.#running.attemptOf(streamId, chunkIndex));
    if (latest > attempt) return;
    this.#effects.push({ to: "edge", ownerId, message: { type: "lost", streamId, chunkIndex, attempt } });
  }

  /** Fills every pool for which something may have changed, until nothing changes any more. */
  #settle(nowMs: number): void {
    for (const pool of this.#workers.pools()) {
      if (pool.waitUntilMs !== null && pool.waitUntilMs <= nowMs) this.#changedPools.add(pool);
    }
    for (;;) {
      for (const model of this.#changedModels) this.#noteModel(model, nowMs);
      this.#changedModels.clear();
      if (this.#changedPools.size === 0) return;
      const pools = [...this.#changedPools];
      this.#changedPools.clear();
      for (const pool of pools) this.#fill(pool, nowMs);
    }
  }

  #noteModel(model: string, nowMs: number): void {
    const pools = this.#workers.poolsOf(model);
    const waits = pools.length === 0 && this.#queue.model(model)?.isEmpty === false;
    if (!waits) this.#orphans.delete(model);
    else if (!this.#orphans.has(model)) this.#orphans.set(model, nowMs);
    for (const pool of pools) if (pool.general.free + pool.reserved.free > 0) this.#changedPools.add(pool);
  }

  #fill(pool: WorkerPool, nowMs: number): void {
    try {
      this.#dispatcher.fill(pool, nowMs);
    } catch (error) {
      this.#faults.push(error);
      pool.waitUntilMs = nowMs + RETRY_AFTER_FAULT_MS;
    }
  }

  #guard(action: () => void): void {
    try {
      action();
    } catch (error) {
      this.#faults.push(error);
    }
  }
}

function cancelOf(streamId: string, { fromChunk, toChunk }: Pick<Cancel, "fromChunk" | "toChunk">): Cancel {
  return { type: "cancel", streamId, fromChunk, ...(toChunk === undefined ? {} : { toChunk }) };
}
