import { Heap, type HeapEntry } from "#common/heap";
import type { ServedModel } from "#protocol/bus/membership";
import { Utilization } from "../latency/utilization.js";
import { FairShare } from "../queue/fair-share.js";
import type { SchedulingPolicy } from "../policy.js";
import type { AttainedService } from "./attained-service.js";

/** So long a refusal says that live streams want more than there is. */
const FULL_MS = 1000;

/** Slots for all work, and slots reserved for speech that somebody waits for now. */
export type SlotKind = "general" | "reserved";

/** A worker's slots of one kind. */
export interface WorkerSlots {
  /** Engine calls that it runs at once. */
  count: number;
  /** Batches sent and not yet over. Credits are `count` minus this. */
  inFlight: number;
  /** The worker's place among those with credits. */
  entry: HeapEntry<KnownWorker> | null;
}

/** A worker known to this scheduler: attached now, or still finishing what it was given. */
export interface KnownWorker {
  readonly id: string;
  readonly epoch: string;
  readonly slots: Record<SlotKind, WorkerSlots>;
  readonly service: AttainedService;
  models: readonly ServedModel[];
  /** Null when it may get no new work: draining, or another scheduler's. */
  pool: WorkerPool | null;
  /** When it last got work, as a count of dispatches: equally busy workers take turns. */
  lastDispatch: number;
  /**
   * When the most urgent live speech on its slots for all work had to start; infinity while there is none. The reserved
   * slots run before those and may take all of the processor: speech that is due later must not go there meanwhile.
   */
  liveStartByMs: number;
  /** Until when it goes first: what takes longer is not put off by the reserved slots, but by other programs. */
  liveFirstUntilMs: number;
}

/**
 * Workers that serve the same models on the same kind of processor: interchangeable, so the scheduler decides once for
 * all of them. Their number is that of the kinds of machines, a handful, however many workers there are.
 */
export class WorkerPool {
  readonly models: ReadonlyMap<string, ServedModel>;
  readonly shares: FairShare;
  /** Set while free capacity waits for company, or a reserved slot for a chunk to be pressing; null otherwise. */
  waitUntilMs: number | null = null;
  /** When a live stream was last refused because these workers could not speak it besides the others. */
  fullAtMs = Number.NEGATIVE_INFINITY;
  members = 0;
  /** What recognition for somebody who waits takes of the slots. */
  readonly liveRecognition = new Utilization();
  readonly general = new Credits("general", isIdler);
  /** Where nobody's speech is put behind first. */
  readonly reserved = new Credits("reserved", (kind, a, b) =>
    a.liveStartByMs === b.liveStartByMs ? isIdler(kind, a, b) : a.liveStartByMs > b.liveStartByMs,
  );

  constructor(models: readonly ServedModel[], policy: SchedulingPolicy) {
    this.models = new Map(models.map((model) => [model.name, model]));
    this.shares = new FairShare(policy);
  }

  /** Whether live streams want more than there is: what nobody waits for has its floor then, and no more. */
  isFull(nowMs: number): boolean {
    return nowMs - this.fullAtMs < FULL_MS;
  }

  join(worker: KnownWorker): void {
    worker.pool = this;
    this.members += 1;
    this.general.join(worker);
    this.reserved.join(worker);
  }

  leave(worker: KnownWorker): void {
    this.members -= 1;
    this.general.leave(worker);
    this.reserved.leave(worker);
    worker.pool = null;
  }

  /**
   * What speech may take a reserved slot without putting off what is due earlier: such as must start before `startByMs`,
   * and from `anyFromMs` on any.
   */
  reservedFor(nowMs: number): { startByMs: number; anyFromMs: number } {
    const { next } = this.reserved;
    if (next === undefined) return { startByMs: Number.NEGATIVE_INFINITY, anyFromMs: Number.POSITIVE_INFINITY };
    const startByMs = nowMs < next.liveFirstUntilMs ? next.liveStartByMs : Number.POSITIVE_INFINITY;
    return { startByMs, anyFromMs: next.liveFirstUntilMs };
  }

  /** Notes the most urgent live speech on a member's slots for all work, and until when it goes first. */
  setLive(worker: KnownWorker, { startByMs, firstUntilMs }: LiveOnGeneral): void {
    worker.liveFirstUntilMs = firstUntilMs;
    if (worker.liveStartByMs === startByMs) return;
    this.reserved.reorder(worker, () => {
      worker.liveStartByMs = startByMs;
    });
  }
}

/** The most urgent live speech on a worker's slots for all work; see `KnownWorker`. */
export interface LiveOnGeneral {
  startByMs: number;
  firstUntilMs: number;
}

/** Whether a worker has fewer batches on its slots of a kind than another, or has waited longer for work. */
function isIdler(kind: SlotKind, a: KnownWorker, b: KnownWorker): boolean {
  const [ofA, ofB] = [a.slots[kind].inFlight, b.slots[kind].inFlight];
  return ofA === ofB ? a.lastDispatch < b.lastDispatch : ofA < ofB;
}

/** The credits that a pool has for one kind of slots. */
class Credits {
  /** Slots of all members. */
  slots = 0;
  /** Slots without work. */
  free = 0;
  readonly #kind: SlotKind;
  readonly #withCredit: Heap<KnownWorker>;

  constructor(kind: SlotKind, comesBefore: (kind: SlotKind, a: KnownWorker, b: KnownWorker) => boolean) {
    this.#kind = kind;
    this.#withCredit = new Heap((a, b) => comesBefore(kind, a, b));
  }

  /** The worker whose credit is spent next. */
  get next(): KnownWorker | undefined {
    return this.#withCredit.peek();
  }

  join(worker: KnownWorker): void {
    this.slots += worker.slots[this.#kind].count;
    this.#list(worker);
  }

  leave(worker: KnownWorker): void {
    this.slots -= worker.slots[this.#kind].count;
    this.#unlist(worker);
  }

  /** Spends a credit of the first worker; null when there is none. */
  spend(dispatch: number, nowMs: number): KnownWorker | null {
    const worker = this.#withCredit.peek();
    if (worker === undefined) return null;
    this.#unlist(worker);
    attainedMs(worker, nowMs);
    worker.slots[this.#kind].inFlight += 1;
    worker.lastDispatch = dispatch;
    this.#list(worker);
    return worker;
  }

  /** Gives a credit back. */
  release(worker: KnownWorker): void {
    this.reorder(worker, () => {
      worker.slots[this.#kind].inFlight -= 1;
    });
  }

  /** Changes what the order of the workers goes by. */
  reorder(worker: KnownWorker, change: () => void): void {
    this.#unlist(worker);
    change();
    this.#list(worker);
  }

  #list(worker: KnownWorker): void {
    const slots = worker.slots[this.#kind];
    this.free += credits(slots);
    if (credits(slots) > 0) slots.entry = this.#withCredit.push(worker);
  }

  #unlist(worker: KnownWorker): void {
    const slots = worker.slots[this.#kind];
    this.free -= credits(slots);
    if (slots.entry !== null) this.#withCredit.remove(slots.entry);
    slots.entry = null;
  }
}

/** Batches that a worker can still take. Never negative: a worker that shrank works its surplus off. */
function credits({ count, inFlight }: WorkerSlots): number {
  return Math.max(0, count - inFlight);
}

/** Service that a batch of the worker would have had that ran all the time, by now. */
export function attainedMs({ slots: { general, reserved }, service }: KnownWorker, nowMs: number): number {
  return service.advance(nowMs, { slots: general.count, running: general.inFlight + reserved.inFlight });
}
