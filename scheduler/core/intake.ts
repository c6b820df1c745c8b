import type { SchedulerLoad } from "#protocol/bus/membership";
import { type Submit, type WorkChunk, workSize } from "#protocol/bus/scheduling";
import { type ServiceError, toErrorRecord } from "#protocol/errors";
import { admitContinuation, admitNewStream } from "../admission/admit.js";
import { type PredictedWait, predictWait } from "../admission/predicted-wait.js";
import { waitingChunk } from "../queue/waiting-chunk.js";
import type { WorkerPool } from "../workers/worker-pool.js";
import type { CoreParts } from "./parts.js";

/** Takes submitted chunks into the queue, or refuses them; knows how much more can be taken. */
export class Intake {
  readonly #parts: CoreParts;
  #sequence = 0;

  constructor(parts: CoreParts) {
    this.#parts = parts;
  }

  /** Queues a chunk, or tells its owner that it is refused. */
  submit(submit: Submit, nowMs: number): void {
    const { queue, running, workers, emit, headChanged } = this.#parts;
    const { chunk } = submit;
    const { streamId, chunkIndex, attempt, ownerId } = chunk;
    const queuedAttempt = queue.attemptOf(streamId, chunkIndex);
    // The same attempt twice is the bus's or the owner's repetition; a lower one comes too late.
    if (Math.max(queuedAttempt, running.attemptOf(streamId, chunkIndex)) >= attempt) return;
    const refusal = queuedAttempt === 0 ? this.#admit(submit, nowMs) : null;
    if (refusal !== null) {
      const error = toErrorRecord(refusal);
      return emit({ to: "edge", ownerId, message: { type: "refused", streamId, chunkIndex, attempt, error } });
    }
    const serviceMs = this.#serviceMs(chunk, workers.poolsOf(chunk.model));
    queue.add(waitingChunk(submit, { sequence: this.#sequence++, serviceMs, nowMs }), nowMs);
    headChanged(chunk.model);
  }

  /** What this scheduler can take now, per model served. */
  loads(nowMs: number): SchedulerLoad[] {
    const { queue, workers } = this.#parts;
    return workers.servedModels().map((model) => {
      const pools = workers.poolsOf(model);
      return {
        model,
        slots: pools.reduce((sum, pool) => sum + pool.general.slots, 0),
        freeSlots: pools.reduce((sum, pool) => sum + pool.general.free, 0),
        queuedChunks: queue.queuedOf(model),
        predictedWaitMs: this.#predictWait(pools, model, nowMs).liveMs,
      };
    });
  }

  #admit({ chunk, tier, isAdmitted = false, mostWaitMs }: Submit, nowMs: number): ServiceError | null {
    const { queue, workers, policy, isDraining } = this.#parts;
    const queuedChunks = queue.size;
    const beyondMemory = admitContinuation(queuedChunks, policy);
    const isNewStream = chunk.chunkIndex === 0 && chunk.attempt === 1;
    if (beyondMemory !== null || !isNewStream) return beyondMemory;
    const pools = workers.poolsOf(chunk.model);
    const facts = {
      model: chunk.model,
      tier,
      isAdmitted,
      mostWaitMs,
      draining: isDraining(),
      served: pools.length > 0,
      queuedChunks,
      wait: this.#predictWait(pools, chunk.model, nowMs),
      // Nobody waits for a first audio here: how long a piece takes says nothing about whether there is room.
      ownMs: chunk.task === "speak" ? this.#serviceMs(chunk, pools) : 0,
      runningLateMs: this.#runningLateMs(pools, nowMs),
    };
    return admitNewStream(facts, policy);
  }

  #predictWait(pools: readonly WorkerPool[], model: string, nowMs: number): PredictedWait {
    const { queue, book, policy } = this.#parts;
    const speaks = pools[0]?.models.get(model)?.task === "speak";
    return predictWait(pools, queue, book, { freeFloor: policy.floors.free ?? 0, speaks, nowMs });
  }

  #serviceMs(chunk: WorkChunk, pools: readonly WorkerPool[]): number {
    const provider = pools[0]?.models.get(chunk.model)?.provider;
    return provider === undefined ? 0 : this.#parts.book.of(chunk.model, provider).predictP95Ms(1, workSize(chunk));
  }

  #runningLateMs(pools: readonly WorkerPool[], nowMs: number): number {
    let lateMs = Number.NEGATIVE_INFINITY;
    for (const pool of pools) {
      for (const name of pool.models.keys()) {
        const urgent = this.#parts.queue.model(name)?.head("urgent");
        if (urgent !== undefined) lateMs = Math.max(lateMs, nowMs - urgent.startByMs);
      }
    }
    return lateMs;
  }
}
