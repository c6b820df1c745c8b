import type { ServiceTier } from "#protocol/bus/scheduling";
import { Heap, type HeapEntry } from "#common/heap";
import type { KnownWorker, LiveOnGeneral, SlotKind } from "./worker-pool.js";

/** A chunk that a worker has been given. */
export interface RunningChunk {
  readonly streamId: string;
  readonly chunkIndex: number;
  readonly attempt: number;
  readonly ownerId: string;
  /** Set when nobody waits for it any more: its loss is then no news. */
  cancelled: boolean;
}

/** A batch between dispatch and completion. */
export interface RunningBatch {
  readonly batchId: string;
  readonly worker: KnownWorker;
  /** The kind of slot that it holds. */
  readonly slot: SlotKind;
  readonly model: string;
  readonly provider: string;
  readonly chunks: readonly RunningChunk[];
  readonly longestSize: number;
  readonly tier: ServiceTier;
  /** When its live speech had to start at the latest; infinity where it has none. */
  readonly liveStartByMs: number;
  /** What its worker's batches had attained of service when it was sent. */
  readonly attainedMs: number;
  readonly dispatchedAtMs: number;
  /** False once its chunks were given up; the slot stays taken until it is done, or until its second due time. */
  expected: boolean;
  /** Set after an interruption of the bus: its completion may have gone by unheard. */
  maybeMissed: boolean;
}

interface Due {
  atMs: number;
  batch: RunningBatch;
}

/** Everything that runs, by batch, by worker, by stream and by due time. */
export class RunningBatches {
  readonly #batches = new Map<string, RunningBatch>();
  readonly #ofWorker = new Map<KnownWorker, Set<RunningBatch>>();
  readonly #ofStream = new Map<string, Set<RunningBatch>>();
  readonly #due = new Heap<Due>((a, b) => a.atMs < b.atMs);
  readonly #dueOf = new Map<RunningBatch, HeapEntry<Due>>();

  get size(): number {
    return this.#batches.size;
  }

  get(batchId: string): RunningBatch | undefined {
    return this.#batches.get(batchId);
  }

  add(batch: RunningBatch, dueAtMs: number): void {
    this.#batches.set(batch.batchId, batch);
    addTo(this.#ofWorker, batch.worker, batch);
    for (const chunk of batch.chunks) addTo(this.#ofStream, chunk.streamId, batch);
    this.setDue(batch, dueAtMs);
  }

  remove(batch: RunningBatch): void {
    if (!this.#batches.delete(batch.batchId)) return;
    removeFrom(this.#ofWorker, batch.worker, batch);
    for (const chunk of batch.chunks) removeFrom(this.#ofStream, chunk.streamId, batch);
    const due = this.#dueOf.get(batch);
    if (due !== undefined) this.#due.remove(due);
    this.#dueOf.delete(batch);
  }

  setDue(batch: RunningBatch, atMs: number): void {
    const before = this.#dueOf.get(batch);
    if (before !== undefined) this.#due.remove(before);
    this.#dueOf.set(batch, this.#due.push({ atMs, batch }));
  }

  nextDueMs(): number | null {
    return this.#due.peek()?.atMs ?? null;
  }

  /** The batch that has been due longest, if any is due; it stays until `remove` or `setDue`. */
  nextDue(nowMs: number): RunningBatch | null {
    const next = this.#due.peek();
    return next !== undefined && next.atMs <= nowMs ? next.batch : null;
  }

  ofWorker(worker: KnownWorker): RunningBatch[] {
    return [...(this.#ofWorker.get(worker) ?? [])];
  }

  /** The most urgent live speech on a worker's slots for all work, which goes first for `firstForMs` after its dispatch. */
  liveOnGeneral(worker: KnownWorker, firstForMs: number): LiveOnGeneral {
    const live: LiveOnGeneral = { startByMs: Number.POSITIVE_INFINITY, firstUntilMs: Number.NEGATIVE_INFINITY };
    for (const { slot, liveStartByMs, dispatchedAtMs } of this.#ofWorker.get(worker) ?? []) {
      if (slot !== "general" || liveStartByMs >= live.startByMs) continue;
      live.startByMs = liveStartByMs;
      live.firstUntilMs = dispatchedAtMs + firstForMs;
    }
    return live;
  }

  ofStream(streamId: string): RunningBatch[] {
    return [...(this.#ofStream.get(streamId) ?? [])];
  }

  all(): RunningBatch[] {
    return [...this.#batches.values()];
  }

  /** The highest attempt of a chunk that runs and is still wanted; 0 when none does. */
  attemptOf(streamId: string, chunkIndex: number): number {
    let highest = 0;
    for (const batch of this.#ofStream.get(streamId) ?? []) {
      if (!batch.expected) continue;
      for (const chunk of batch.chunks) {
        if (chunk.streamId === streamId && chunk.chunkIndex === chunkIndex && !chunk.cancelled)
          highest = Math.max(highest, chunk.attempt);
      }
    }
    return highest;
  }
}

function addTo<K>(index: Map<K, Set<RunningBatch>>, key: K, batch: RunningBatch): void {
  const found = index.get(key);
  if (found === undefined) index.set(key, new Set([batch]));
  else found.add(batch);
}

function removeFrom<K>(index: Map<K, Set<RunningBatch>>, key: K, batch: RunningBatch): void {
  const found = index.get(key);
  found?.delete(batch);
  if (found?.size === 0) index.delete(key);
}
