import type { SchedulerLoad } from "#protocol/bus/membership";
import type { BatchDone, Cancel, ChunkOutcome } from "#protocol/bus/scheduling";
import { LiveStreams } from "../admission/live-streams.js";
import { decide } from "../batching/decide.js";
import { LatencyBook } from "../latency/latency-model.js";
import type { SpokenWork } from "../latency/service-demand.js";
import type { SchedulingPolicy } from "../policy.js";
import { WorkQueue } from "../queue/work-queue.js";
import { type RunningBatch, RunningBatches, type RunningChunk } from "../workers/running-batches.js";
import type { WorkerPool } from "../workers/worker-pool.js";
import { type WorkerHeartbeat, WorkerRegistry } from "../workers/worker-registry.js";
import { Dispatcher } from "./dispatcher.js";
import type { SchedulerEffect, SchedulerEvent } from "./events.js";
import { Expiry } from "./expiry.js";
import { Intake } from "./intake.js";
import type { CoreParts } from "./parts.js";

/** What one event led to. */
export interface Step {
  /** Messages to send, in order. */
  effects: SchedulerEffect[];
  /** Errors that were survived, to be logged. */
  faults: unknown[];
}

/** How soon a pool is tried again after an error in it. */
const RETRY_AFTER_FAULT_MS = 50;

/**
 * The scheduler as a deterministic state machine: events in, messages out, time passed in. It never throws and never
 * waits; every event costs O(log n) in the chunks queued and the workers attached. See `events.ts` for what can happen
 * and `policy.ts` for the numbers.
 */
export class SchedulerCore {
  readonly #queue: WorkQueue;
  readonly #workers: WorkerRegistry;
  readonly #running = new RunningBatches();
  readonly #book = new LatencyBook();
  readonly #streams = new LiveStreams();
  readonly #intake: Intake;
  readonly #dispatcher: Dispatcher;
  readonly #expiry: Expiry;
  readonly #changedModels = new Set<string>();
  readonly #changedPools = new Set<WorkerPool>();
  #effects: SchedulerEffect[] = [];
  #faults: unknown[] = [];
  #draining = false;

  /** `epoch` must differ between process starts: it begins the batch ids. */
  constructor(options: { schedulerId: string; epoch: string; policy: SchedulingPolicy; decide?: typeof decide }) {
    const { schedulerId, epoch, policy } = options;
    this.#queue = new WorkQueue(policy);
    this.#workers = new WorkerRegistry(schedulerId, policy);
    const parts: CoreParts = {
      policy,
      queue: this.#queue,
      workers: this.#workers,
      running: this.#running,
      book: this.#book,
      streams: this.#streams,
      isDraining: () => this.#draining,
      emit: (effect) => this.#effects.push(effect),
      headChanged: (model) => this.#changedModels.add(model),
      slotFreed: (pool) => this.#changedPools.add(pool),
      fault: (error) => this.#faults.push(error),
    };
    this.#intake = new Intake(parts);
    this.#dispatcher = new Dispatcher({ ...parts, schedulerId, epoch, decide: options.decide ?? decide });
    this.#expiry = new Expiry(parts);
  }

  /**
   * Takes an event in and gives what it led to. Whatever goes wrong inside ends up in `faults`; the scheduler goes on.
   */
  handle(event: SchedulerEvent, nowMs: number): Step {
    this.#effects = [];
    this.#faults = [];
    this.#guard(() => this.#apply(event, nowMs));
    this.#guard(() => this.#expiry.expire(nowMs));
    this.#settle(nowMs);
    return { effects: this.#effects, faults: this.#faults };
  }

  /** When to send a `tick`, if nothing else happens before; null when there is nothing to wait for. */
  nextWakeMs(): number | null {
    let wakeMs = this.#expiry.nextWakeMs();
    for (const pool of this.#workers.pools()) wakeMs = Math.min(wakeMs, pool.waitUntilMs ?? Number.POSITIVE_INFINITY);
    return Number.isFinite(wakeMs) ? wakeMs : null;
  }

  /** What this scheduler can take now, per model served. */
  loads(nowMs: number): SchedulerLoad[] {
    return this.#intake.loads(nowMs);
  }

  /** Work in hand: chunks that wait and batches that run. */
  pending(): { queuedChunks: number; runningBatches: number } {
    return { queuedChunks: this.#queue.size, runningBatches: this.#running.size };
  }

  #apply(event: SchedulerEvent, nowMs: number): void {
    switch (event.type) {
      case "submit":
        return this.#intake.submit(event, nowMs);
      case "text-ended":
        return this.#streams.textEnded(event.streamId);
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
        return this.#expiry.reverify(nowMs);
      case "drain":
        this.#draining = true;
        return;
      case "abandon":
        return this.#expiry.abandon();
      case "tick":
        return;
    }
  }

  #cancel(cancel: Cancel, nowMs: number): void {
    const { streamId, fromChunk, toChunk = Number.POSITIVE_INFINITY } = cancel;
    if (fromChunk === 0 && toChunk === Number.POSITIVE_INFINITY) this.#streams.cancelled(streamId);
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
    const serviceMs = this.#expiry.free(batch, nowMs);
    const outcomeOf = new Map(
      done.outcomes.map((outcome) => [`${outcome.streamId}\n${outcome.chunkIndex}`, outcome.result]),
    );
    const missing = batch.chunks.filter((chunk) => !outcomeOf.has(`${chunk.streamId}\n${chunk.chunkIndex}`));
    if (batch.expected) this.#expiry.giveBack(missing);
    const model = batch.worker.models.find(({ name }) => name === batch.model);
    if (model?.task === "speak") this.#noteSpoken(done.outcomes, model.sampleRate, batch.dispatchedAtMs, nowMs);
    const complete =
      missing.length === 0 && done.outcomes.every(({ result }) => result === "spoken" || result === "recognized");
    if (!complete) return;
    const latency = this.#book.of(batch.model, batch.provider);
    latency.observe(batch.chunks.length, batch.longestSize, nowMs - batch.dispatchedAtMs, nowMs);
    if (model?.task === "speak") latency.service.observe(spokenWork(done.outcomes, serviceMs, model.sampleRate), nowMs);
    else if (batch.tier === "live") batch.worker.pool?.liveRecognition.add(serviceMs, nowMs);
  }

  /** Speech that follows what was spoken is due when that has been played: now it is known how long it sounds. */
  #noteSpoken(outcomes: readonly ChunkOutcome[], sampleRate: number, sentAtMs: number, nowMs: number): void {
    for (const outcome of outcomes) {
      if (outcome.result !== "spoken") continue;
      const { streamId, chunkIndex, samples } = outcome;
      const playedAtMs = this.#streams.spoken(outcome, (samples * 1000) / sampleRate, sentAtMs);
      if (playedAtMs === null) continue;
      const next = this.#queue.bringForward(streamId, chunkIndex + 1, playedAtMs, nowMs);
      if (next !== null) this.#changedModels.add(next.chunk.model);
    }
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
    for (const batch of batches) if (batch.expected) this.#expiry.giveBack(batch.chunks);
  }

  /** Edges die rarely: looking through everything that runs is cheaper than keeping an index for it. */
  #edgeLost(ownerId: string): void {
    this.#queue.dropEdge(ownerId);
    this.#streams.ownerLost(ownerId);
    this.#cancelRunning(this.#running.all(), (chunk) => chunk.ownerId === ownerId, { fromChunk: 0 });
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
    this.#expiry.noteModel(model, nowMs);
    for (const pool of this.#workers.poolsOf(model))
      if (pool.general.free + pool.reserved.free > 0) this.#changedPools.add(pool);
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

function spokenWork(outcomes: readonly ChunkOutcome[], serviceMs: number, sampleRate: number): SpokenWork {
  const total = (of: (outcome: ChunkOutcome) => number): number => outcomes.reduce((sum, one) => sum + of(one), 0);
  const audioMs = (total(({ samples }) => samples) * 1000) / sampleRate;
  return { chunks: outcomes.length, size: total(({ size }) => size), serviceMs, audioMs };
}

function cancelOf(streamId: string, { fromChunk, toChunk }: Pick<Cancel, "fromChunk" | "toChunk">): Cancel {
  return { type: "cancel", streamId, fromChunk, ...(toChunk === undefined ? {} : { toChunk }) };
}
