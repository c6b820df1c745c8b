import type { LiveStreams } from "../admission/live-streams.js";
import type { LatencyBook } from "../latency/latency-model.js";
import type { SchedulingPolicy } from "../policy.js";
import type { WorkQueue } from "../queue/work-queue.js";
import type { RunningBatches } from "../workers/running-batches.js";
import type { WorkerPool } from "../workers/worker-pool.js";
import type { WorkerRegistry } from "../workers/worker-registry.js";
import type { SchedulerEffect } from "./events.js";

/** What the parts of the scheduler share. */
export interface CoreParts {
  policy: SchedulingPolicy;
  queue: WorkQueue;
  workers: WorkerRegistry;
  running: RunningBatches;
  book: LatencyBook;
  streams: LiveStreams;
  /** Whether the scheduler takes no new streams any more. */
  isDraining: () => boolean;
  emit: (effect: SchedulerEffect) => void;
  /** A model whose queue has a new first. */
  headChanged: (model: string) => void;
  /** A pool that has a slot free again. */
  slotFreed: (pool: WorkerPool) => void;
  /** An error that was survived. */
  fault: (error: unknown) => void;
}
