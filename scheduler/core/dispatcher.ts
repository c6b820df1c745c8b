import type { ServedModel } from "#protocol/bus/membership";
import type { Batch } from "#protocol/bus/scheduling";
import { chunkAudioMs } from "../admission/live-streams.js";
import type { BatchPolicy, Candidate, decide } from "../batching/decide.js";
import type { LatencyModel } from "../latency/latency-model.js";
import type { WaitingChunk } from "../queue/waiting-chunk.js";
import type { RunningBatch } from "../workers/running-batches.js";
import { attainedMs, type KnownWorker, type SlotKind, type WorkerPool } from "../workers/worker-pool.js";
import type { CoreParts } from "./parts.js";
import { nextPressingMs, nextTurn, type Turn } from "./turn.js";

/** Candidates looked at per place in a batch: enough to find companions of the head's length. */
const LOOK_AHEAD = 4;

/** What a dispatcher works on. */
export interface DispatcherParts extends CoreParts {
  schedulerId: string;
  /** Starts every batch id: unique per process start. */
  epoch: string;
  decide: typeof decide;
}

/** A batch that is decided, and where it goes. */
interface Dispatch {
  worker: KnownWorker;
  slot: SlotKind;
  pool: WorkerPool;
  turn: Turn;
  batch: readonly WaitingChunk[];
}

/** Spends credits: as long as a pool has free slots and chunks for them, forms batches and sends them. */
export class Dispatcher {
  readonly #parts: DispatcherParts;
  #dispatches = 0;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
  }

  /** Fills a pool's free slots. Sets the pool's `waitUntilMs` when it is to be filled again without an event. */
  fill(pool: WorkerPool, nowMs: number): void {
    pool.waitUntilMs = null;
    for (const slot of ["reserved", "general"] as const) {
      while (this.#serveNext(pool, slot, nowMs));
    }
    const pressingMs = pool.reserved.free > 0 ? nextPressingMs(pool, this.#parts, nowMs) : null;
    if (pressingMs !== null) pool.waitUntilMs = Math.min(pool.waitUntilMs ?? pressingMs, pressingMs);
  }

  /** Fills one slot of a kind; false when none is free or nothing may take it now. */
  #serveNext(pool: WorkerPool, slot: SlotKind, nowMs: number): boolean {
    const turn = pool[slot].free > 0 ? nextTurn(pool, slot, this.#parts, nowMs) : null;
    if (turn === null) return false;
    const chosen = this.#choose(pool, turn, nowMs);
    if ("waitUs" in chosen) {
      pool.waitUntilMs = nowMs + chosen.waitUs / 1000;
      return false;
    }
    const worker = pool[slot].spend(++this.#dispatches, nowMs);
    if (worker === null) return false;
    this.#send({ worker, slot, pool, turn, batch: chosen.batch }, nowMs);
    return true;
  }

  #choose(pool: WorkerPool, turn: Turn, nowMs: number): { batch: WaitingChunk[] } | { waitUs: number } {
    const served = pool.models.get(turn.head.chunk.model);
    if (served === undefined || served.maxBatch <= 1) return { batch: [turn.head] };
    const { book, policy } = this.#parts;
    const latency = book.of(served.name, served.provider);
    const maxBatch = this.#batchLimit(pool, turn.head, latency, served);
    const waiting = this.#parts.queue.lookAhead(served.name, turn.lane, maxBatch * LOOK_AHEAD);
    const candidates = waiting.map(
      (one): Candidate => ({
        id: one.sequence,
        size: one.size,
        deadlineMs: one.deadlineMs,
        waitedUs: (nowMs - one.submittedAtMs) * 1000,
      }),
    );
    const batchPolicy: BatchPolicy = {
      maxBatch,
      maxWaitUs: policy.maxWaitUs,
      predictP95Ms: (batchSize, longest) => latency.predictP95Ms(batchSize, longest),
    };
    // A decision that fails must not hold the queue up: the head goes alone.
    try {
      const decision = this.#parts.decide({ candidates }, nowMs, batchPolicy);
      if ("waitUs" in decision)
        return decision.waitUs > 0 && Number.isFinite(decision.waitUs) ? decision : { batch: [turn.head] };
      const ids = new Set(decision.dispatch);
      const batch = waiting.filter((one) => ids.has(one.sequence)).slice(0, served.maxBatch);
      return { batch: batch.length > 0 ? batch : [turn.head] };
    } catch (error) {
      this.#parts.fault(error);
      return { batch: [turn.head] };
    }
  }

  /**
   * Most chunks of the next batch. Recordings queue by the hundred, so that what is left would often fit one batch: it
   * is dealt out to all slots instead. Where slots also speak, a batch of audio is kept short: nothing else starts
   * there before it is over.
   */
  #batchLimit(pool: WorkerPool, head: WaitingChunk, latency: LatencyModel, served: ServedModel): number {
    const limit = latency.batchLimit.within(served.maxBatch);
    if (head.chunk.task === "speak") return limit;
    let share = Math.max(
      1,
      Math.min(limit, Math.ceil(this.#parts.queue.queuedOf(served.name) / Math.max(1, pool.general.slots))),
    );
    const speaks = [...pool.models.values()].some((model) => model.task === "speak");
    while (speaks && share > 1 && latency.predictP95Ms(share, head.size) > this.#parts.policy.audioSliceMs) share -= 1;
    return share;
  }

  #send({ worker, slot, pool, turn, batch }: Dispatch, nowMs: number): void {
    const { schedulerId, epoch, policy, queue, running, book, streams, emit, headChanged } = this.#parts;
    const model = turn.head.chunk.model;
    const provider = pool.models.get(model)?.provider ?? "";
    const latency = book.of(model, provider);
    const longestSize = batch.reduce((longest, one) => Math.max(longest, one.size), 0);
    const batchId = `${epoch}-${this.#dispatches}`;
    const serviceMs = latency.expectMs(batch.length, longestSize);
    const shareMs = serviceMs / batch.length;
    for (const one of batch) {
      if (one.chunk.task === "speak")
        streams.dispatched(one, chunkAudioMs(one.chunk, latency.service), serviceMs, nowMs);
      pool.shares.charge(one.place?.lane ?? turn.lane, shareMs, turn.heads, !pool.isFull(nowMs));
      const next = queue.remove(one, nowMs);
      if (next !== null) headChanged(next.chunk.model);
    }
    const isLiveSpeech = turn.head.chunk.task === "speak" && turn.head.tier === "live";
    const record: RunningBatch = {
      batchId,
      worker,
      slot,
      model,
      provider,
      chunks: batch.map(({ chunk: { streamId, chunkIndex, attempt, ownerId } }) => ({
        streamId,
        chunkIndex,
        attempt,
        ownerId,
        cancelled: false,
      })),
      longestSize,
      tier: turn.head.tier,
      liveStartByMs: isLiveSpeech ? turn.head.startByMs : Number.POSITIVE_INFINITY,
      attainedMs: attainedMs(worker, nowMs),
      dispatchedAtMs: nowMs,
      expected: true,
      maybeMissed: false,
    };
    const overdueMs = Math.max(
      policy.overdueFloorMs,
      policy.overdueFactor * latency.predictP95Ms(batch.length, longestSize),
    );
    running.add(record, nowMs + overdueMs);
    pool.setLive(worker, running.liveOnGeneral(worker, policy.liveFirstMs));
    const message: Batch = {
      type: "batch",
      batchId,
      schedulerId,
      model,
      ...(slot === "reserved" ? { reserved: true } : {}),
      chunks: batch.map((one) => ({ chunk: one.chunk, queuedUs: Math.round((nowMs - one.submittedAtMs) * 1000) })),
    };
    emit({ to: "worker", workerId: worker.id, message });
  }
}
