import type { LatencyBook } from "../latency/latency-model.js";
import type { LaneHeads } from "../queue/fair-share.js";
import { type Lane, lanes } from "../queue/lane.js";
import type { ModelQueue } from "../queue/model-queue.js";
import type { WorkQueue } from "../queue/work-queue.js";
import { comesBefore, type WaitingChunk } from "../queue/waiting-chunk.js";
import type { SchedulingPolicy } from "../policy.js";
import type { SlotKind, WorkerPool } from "../workers/worker-pool.js";

/** Whose turn it is on a pool's next free slot. */
export interface Turn {
  lane: Lane;
  head: WaitingChunk;
  queue: ModelQueue;
  /** What stood in line when the turn was given, for the books of the fair shares. */
  heads: LaneHeads;
}

/** What a turn is given from: the scheduler's own parts. */
export interface TurnParts {
  queue: WorkQueue;
  book: LatencyBook;
  policy: SchedulingPolicy;
}

/**
 * Finds the chunk that a free slot of `pool` serves next, over all models of the pool; null when nothing waits for it.
 */
export function nextTurn(
  pool: WorkerPool,
  slot: SlotKind,
  { queue, book, policy }: TurnParts,
  nowMs: number,
): Turn | null {
  const reservedFor = pool.reservedFor(nowMs);
  const first: Record<Lane, WaitingChunk | null> = { first: null, urgent: null, free: null, bulk: null, ahead: null };
  const eligible = { ...first };
  for (const name of pool.models.keys()) {
    const modelQueue = queue.model(name);
    if (modelQueue === undefined) continue;
    modelQueue.promote(nowMs);
    for (const lane of lanes) {
      const candidate = modelQueue.head(lane);
      const best = first[lane];
      if (candidate !== undefined && (best === null || comesBefore(candidate, best))) first[lane] = candidate;
      const chosen = eligible[lane];
      if (candidate === undefined || (chosen !== null && comesBefore(chosen, candidate))) continue;
      if (
        slot === "general" ||
        (isPressing(candidate, lane, policy, nowMs) && candidate.startByMs < reservedFor.startByMs)
      )
        eligible[lane] = candidate;
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
  const lane = pool.shares.choose(heads, (one) => eligible[one] !== null);
  const head = lane === null ? null : eligible[lane];
  const modelQueue = head === null ? undefined : queue.model(head.chunk.model);
  return lane === null || head === null || modelQueue === undefined ? null : { lane, head, queue: modelQueue, heads };
}

/** Speech that somebody waits for now: all that a reserved slot takes. */
function isPressing({ chunk, startByMs }: WaitingChunk, lane: Lane, policy: SchedulingPolicy, nowMs: number): boolean {
  if (chunk.task !== "speak") return false;
  return lane === "first" || (lane === "urgent" && nowMs >= startByMs - policy.pressingSlackMs);
}

/**
 * When the next chunk that waits for `pool` may take a reserved slot, if it goes nowhere else before; null when none
 * will before a batch is over.
 */
export function nextPressingMs(pool: WorkerPool, { queue, policy }: TurnParts, nowMs: number): number | null {
  const { startByMs, anyFromMs } = pool.reservedFor(nowMs);
  let atMs = Number.POSITIVE_INFINITY;
  for (const { name, task } of pool.models.values()) {
    if (task !== "speak") continue;
    for (const lane of ["first", "urgent", "ahead"] as const) {
      const head = queue.model(name)?.head(lane);
      if (head === undefined) continue;
      // A first chunk is pressing at once: it stands here only while it must not go before others.
      const pressingMs = lane === "first" ? anyFromMs : head.startByMs - policy.pressingSlackMs;
      atMs = Math.min(atMs, head.startByMs < startByMs ? pressingMs : Math.max(pressingMs, anyFromMs));
    }
  }
  return Number.isFinite(atMs) ? atMs : null;
}
