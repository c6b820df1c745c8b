import type { LatencyBook } from "../latency/latency-model.js";
import type { Lane } from "../queue/lane.js";
import type { WorkQueue } from "../queue/work-queue.js";
import type { WorkerPool } from "../workers/worker-pool.js";

/** Predicted milliseconds until a first chunk submitted now would start. */
export interface PredictedWait {
  liveMs: number;
  /**
   * The same for the free tier, which stands behind the live ones: never below what its line's head has waited, the
   * most honest forecast.
   */
  freeMs: number;
  /** First chunks that would start at once, on free slots. */
  atOnce: number;
  /** As `liveMs`, for the next one after those. */
  thenMs: number;
}

/**
 * Engine time queued before a new first chunk, over the slots that will do it. The pools' whole load counts, of
 * whichever model, since it shares the slots. Urgent chunks count up to the amount of first ones: by their floor, the
 * two alternate. Speech also begins on reserved slots; the time that these save later is left out.
 */
export function predictWait(
  pools: readonly WorkerPool[],
  queue: WorkQueue,
  book: LatencyBook,
  options: { freeFloor: number; speaks: boolean; nowMs: number },
): PredictedWait {
  let slots = 0;
  let freeSlots = 0;
  let reserved = 0;
  let meanMs = 0;
  const workMs: Record<Lane, number> = { first: 0, urgent: 0, free: 0, bulk: 0, ahead: 0 };
  let freeHeadMs = 0;
  const counted = new Set<string>();
  for (const pool of pools) {
    slots += pool.general.slots;
    freeSlots += pool.general.free;
    reserved += pool.reserved.free;
    for (const served of pool.models.values()) {
      const line = queue.model(served.name);
      if (line === undefined || counted.has(served.name)) continue;
      const { totals } = line;
      counted.add(served.name);
      const latency = book.of(served.name, served.provider);
      const batch = latency.batchLimit.within(served.maxBatch);
      meanMs = Math.max(meanMs, latency.meanMs());
      freeHeadMs = Math.max(freeHeadMs, options.nowMs - (line.head("free")?.submittedAtMs ?? options.nowMs));
      for (const lane of ["first", "urgent", "free"] as const) {
        workMs[lane] += latency.workMs(totals[lane].chunks, totals[lane].size, batch);
      }
    }
  }
  const never = Number.POSITIVE_INFINITY;
  if (slots === 0) return { liveMs: never, freeMs: never, atOnce: 0, thenMs: never };
  const untilSlotMs = freeSlots > 0 ? 0 : meanMs / slots;
  const floorsMs = Math.min(workMs.free, workMs.first * options.freeFloor);
  const queuedMs = (workMs.first + Math.min(workMs.urgent, workMs.first) + floorsMs) / slots;
  const reservedSlots = options.speaks ? reserved : 0;
  const liveMs = (reservedSlots > 0 ? 0 : untilSlotMs) + queuedMs;
  const freeMs = untilSlotMs + Math.max((workMs.first + workMs.urgent + workMs.free) / slots, freeHeadMs);
  const atOnce = queuedMs === 0 ? freeSlots + reservedSlots : 0;
  return { liveMs, freeMs, atOnce, thenMs: atOnce === 0 ? liveMs : meanMs / slots };
}
