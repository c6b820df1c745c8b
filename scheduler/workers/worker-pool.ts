import { Heap, type HeapEntry } from "#common/heap";
import type { ServedModel } from "#protocol/bus/membership";
import { FairShare } from "../queue/fair-share.js";
import type { SchedulingPolicy } from "../policy.js";

/** A worker known to this scheduler: attached now, or still finishing what it was given. */
export interface KnownWorker {
  readonly id: string;
  readonly epoch: string;
  /** Engine calls that it runs at once. */
  slots: number;
  models: readonly ServedModel[];
  /** Batches sent and not yet over. Credits are `slots` minus this. */
  inFlight: number;
  /** Null when it may get no new work: draining, or another scheduler's. */
  pool: WorkerPool | null;
  /** Its place among the workers with credits. */
  entry: HeapEntry<KnownWorker> | null;
  /** When it last got work, as a count of dispatches: equally busy workers take turns. */
  lastDispatch: number;
}

/**
 * Workers that serve the same models on the same kind of processor: interchangeable, so the scheduler decides once for
 * all of them. Their number is that of the kinds of machines, a handful, however many workers there are.
 */
export class WorkerPool {
  readonly models: ReadonlyMap<string, ServedModel>;
  readonly shares: FairShare;
  /** Set while free capacity waits for company; null otherwise. */
  waitUntilMs: number | null = null;
  slots = 0;
  freeSlots = 0;
  members = 0;
  readonly #withCredit = new Heap<KnownWorker>(lessBusy);

  constructor(models: readonly ServedModel[], policy: SchedulingPolicy) {
    this.models = new Map(models.map((model) => [model.name, model]));
    this.shares = new FairShare(policy);
  }

  join(worker: KnownWorker): void {
    worker.pool = this;
    this.members += 1;
    this.slots += worker.slots;
    this.freeSlots += credits(worker);
    if (credits(worker) > 0) worker.entry = this.#withCredit.push(worker);
  }

  leave(worker: KnownWorker): void {
    this.members -= 1;
    this.slots -= worker.slots;
    this.freeSlots -= credits(worker);
    this.#unlist(worker);
    worker.pool = null;
  }

  /** Spends a credit of the least busy worker; null when there is none. */
  reserve(dispatch: number): KnownWorker | null {
    const worker = this.#withCredit.pop();
    if (worker === undefined) return null;
    worker.entry = null;
    worker.inFlight += 1;
    worker.lastDispatch = dispatch;
    this.freeSlots -= 1;
    if (credits(worker) > 0) worker.entry = this.#withCredit.push(worker);
    return worker;
  }

  /** Gives a credit back. */
  release(worker: KnownWorker): void {
    const before = credits(worker);
    this.#unlist(worker);
    worker.inFlight -= 1;
    this.freeSlots += credits(worker) - before;
    if (credits(worker) > 0) worker.entry = this.#withCredit.push(worker);
  }

  #unlist(worker: KnownWorker): void {
    if (worker.entry !== null) this.#withCredit.remove(worker.entry);
    worker.entry = null;
  }
}

/** Batches that a worker can still take. Never negative: a worker that shrank works its surplus off. */
export function credits(worker: KnownWorker): number {
  return Math.max(0, worker.slots - worker.inFlight);
}

function lessBusy(a: KnownWorker, b: KnownWorker): boolean {
  return a.inFlight === b.inFlight ? a.lastDispatch < b.lastDispatch : a.inFlight < b.inFlight;
}
