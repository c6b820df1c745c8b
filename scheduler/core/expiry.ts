import type { RunningBatch, RunningChunk } from "../workers/running-batches.js";
import { attainedMs } from "../workers/worker-pool.js";
import type { CoreParts } from "./parts.js";

/** After an interruption of the bus, a batch has this long to be reported done. */
const REVERIFY_MS = 2000;

/** Gives chunks back to their owners: those whose batch does not come back, and those that no worker will ever take. */
export class Expiry {
  readonly #parts: CoreParts;
  /** Models with chunks in the queue and no worker, and since when. */
  readonly #orphans = new Map<string, number>();

  constructor(parts: CoreParts) {
    this.#parts = parts;
  }

  /** When `expire` is due; infinity when nothing waits for time. */
  nextWakeMs(): number {
    let wakeMs = this.#parts.running.nextDueMs() ?? Number.POSITIVE_INFINITY;
    for (const sinceMs of this.#orphans.values()) wakeMs = Math.min(wakeMs, sinceMs + this.#orphanGraceMs());
    return wakeMs;
  }

  /** Lets go of what is due. */
  expire(nowMs: number): void {
    const { running } = this.#parts;
    for (let batch = running.nextDue(nowMs); batch !== null; batch = running.nextDue(nowMs)) {
      const wasExpected = batch.expected;
      batch.expected = false;
      // A silent engine may be stuck: its slot stays taken for as long again. A missed message says nothing about the
      // engine.
      if (wasExpected && !batch.maybeMissed) running.setDue(batch, nowMs + Math.max(1, nowMs - batch.dispatchedAtMs));
      else this.free(batch, nowMs);
      if (wasExpected) this.giveBack(batch.chunks);
    }
    for (const [model, sinceMs] of this.#orphans) {
      if (nowMs - sinceMs >= this.#orphanGraceMs()) this.#returnOrphans(model, nowMs);
    }
  }

  /** Notes since when a model's chunks wait without a worker, or that they do not. */
  noteModel(model: string, nowMs: number): void {
    const { workers, queue } = this.#parts;
    const waits = workers.poolsOf(model).length === 0 && queue.model(model)?.isEmpty === false;
    if (!waits) this.#orphans.delete(model);
    else if (!this.#orphans.has(model)) this.#orphans.set(model, nowMs);
  }

  /** Messages may have been missed: whatever runs must show itself soon. */
  reverify(nowMs: number): void {
    const { running, book } = this.#parts;
    for (const batch of running.all()) {
      batch.maybeMissed = true;
      const p95Ms = book.of(batch.model, batch.provider).predictP95Ms(batch.chunks.length, batch.longestSize);
      running.setDue(batch, nowMs + Math.max(REVERIFY_MS, 2 * p95Ms));
    }
  }

  /** Gives everything that still waits back. */
  abandon(): void {
    const { queue } = this.#parts;
    for (const waiting of queue.all()) {
      queue.cancel({ streamId: waiting.chunk.streamId, fromChunk: 0 }, 0);
      this.#lost(waiting.chunk);
    }
  }

  /** Ends a batch; its slot is free again. Gives the service that it had, in milliseconds of one slot. */
  free(batch: RunningBatch, nowMs: number): number {
    const { policy, running, workers, slotFreed } = this.#parts;
    const serviceMs = attainedMs(batch.worker, nowMs) - batch.attainedMs;
    running.remove(batch);
    const { pool } = batch.worker;
    if (pool !== null) {
      slotFreed(pool);
      pool.setLive(batch.worker, running.liveOnGeneral(batch.worker, policy.liveFirstMs));
    }
    workers.release(batch.worker, batch.slot);
    return serviceMs;
  }

  /** Tells the owners of chunks that somebody still waits for that they are lost. */
  giveBack(chunks: readonly RunningChunk[]): void {
    for (const chunk of chunks) if (!chunk.cancelled) this.#lost(chunk);
  }

  #orphanGraceMs(): number {
    return this.#parts.isDraining() ? 0 : this.#parts.policy.orphanGraceMs;
  }

  #returnOrphans(model: string, nowMs: number): void {
    const { queue, headChanged } = this.#parts;
    this.#orphans.delete(model);
    const line = queue.model(model);
    for (;;) {
      const chunks = line?.lookAhead("first", 256) ?? [];
      if (chunks.length === 0) return;
      for (const waiting of chunks) {
        const next = queue.remove(waiting, nowMs);
        if (next !== null) headChanged(next.chunk.model);
        this.#lost(waiting.chunk);
      }
    }
  }

  /** Tells the owner, unless it has moved on to a later attempt by itself. */
  #lost(chunk: Pick<RunningChunk, "streamId" | "chunkIndex" | "attempt" | "ownerId">): void {
    const { queue, running, emit } = this.#parts;
    const { streamId, chunkIndex, attempt, ownerId } = chunk;
    const latest = Math.max(queue.attemptOf(streamId, chunkIndex), running.attemptOf(streamId, chunkIndex));
    if (latest > attempt) return;
    emit({ to: "edge", ownerId, message: { type: "lost", streamId, chunkIndex, attempt } });
  }
}
