import type { LatencyBook } from "../latency/latency-model.js";
import type { LaneHeads } from "../queue/fair-share.js";
import { type Lane, lanes } from "../queue/lane.js";
import type { ModelQueue } from "../queue/model-queue.js";
import type { WorkQueue } from "../queue/work-queue.js";
import { comesBefore, type WaitingChunk } from "../queue/waiting-chunk.js";
import type { WorkerPool } from "../workers/worker-pool.js";

/** Whose turn it is on a pool's next free slot. */
export interface Turn {
  lane: Lane;
  head: WaitingChunk;
  queue: ModelQueue;
  /** What stood in line when the turn was given, for the books of the fair shares. */
  heads: LaneHeads;
}

/**
 * Finds the chunk that a free slot of `pool` serves next, over all models of the pool; null when nothing waits for it.
 */
export function nextTurn(pool: WorkerPool, queue: WorkQueue, book: LatencyBook, nowMs: number): Turn | null {
  const first: Record<Lane, WaitingChunk | null> = { first: null, urgent: null, free: null, bulk: null, ahead: null };
  for (const name of pool.models.keys()) {
    const modelQueue = queue.model(name);
    if (modelQueue === undefined) continue;
    modelQueue.promote(nowMs);
    for (const lane of lanes) {
      const candidate = modelQueue.head(lane);
      const best = first[lane];
      if (candidate !== undefined && (best === null || comesBefore(candidate, best))) first[lane] = candidate;
    }
  }
  const heads: LaneHeads = { first: null, urgent: null, free: null, bulk: null, ahead: null };
  for (const lane of lanes) {
    const waiting = first[lane];
    const served = waiting === null ? undefined : pool.models.get(waiting.chunk.model);
    if (waiting === null || served === undefined) continue;
    const costMs = book.of(served.name, served.provider).expectMs(1, waiting.size);
    heads[lane] = { costMs, ageMs: nowMs - waiting.submittedAtMs, lateMs: nowMs - waiting.startByMs };
  }
  const lane = pool.shares.choose(heads);
  const head = lane === null ? null : first[lane];
  const modelQueue = head === null ? undefined : queue.model(head.chunk.model);
  return lane === null || head === null || modelQueue === undefined ? null : { lane, head, queue: modelQueue, heads };
}
