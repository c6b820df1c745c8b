import type { Heartbeat, ServedModel } from "#protocol/bus/membership";
import type { SchedulingPolicy } from "../policy.js";
import { AttainedService } from "./attained-service.js";
import { type KnownWorker, type SlotKind, WorkerPool, type WorkerSlots } from "./worker-pool.js";

export type WorkerHeartbeat = Extract<Heartbeat, { role: "worker" }>;

/** The workers that this scheduler may spend credits of, in pools of equals. */
export class WorkerRegistry {
  readonly #schedulerId: string;
  readonly #policy: SchedulingPolicy;
  readonly #workers = new Map<string, KnownWorker>();
  readonly #pools = new Map<string, WorkerPool>();
  readonly #poolsOfModel = new Map<string, WorkerPool[]>();

  constructor(schedulerId: string, policy: SchedulingPolicy) {
    this.#schedulerId = schedulerId;
    this.#policy = policy;
  }

  get(id: string): KnownWorker | undefined {
    return this.#workers.get(id);
  }

  /** Pools that serve a model, the most specialised first: general ones stay free for what only they can do. */
  poolsOf(model: string): readonly WorkerPool[] {
    return this.#poolsOfModel.get(model) ?? [];
  }

  /** Names of all models served now. */
  servedModels(): string[] {
    return [...this.#poolsOfModel.keys()];
  }

  pools(): Iterable<WorkerPool> {
    return this.#pools.values();
  }

  /**
   * Takes a heartbeat in; true when it changed who may do what. The caller has dealt with a changed epoch (`forget`).
   */
  receive(heartbeat: WorkerHeartbeat): boolean {
    const { slots, reservedSlots = 0 } = heartbeat;
    const attached = heartbeat.schedulerId === this.#schedulerId && heartbeat.state === "ready";
    let worker = this.#workers.get(heartbeat.id);
    if (worker === undefined) {
      if (!attached) return false;
      const { id, epoch, models } = heartbeat;
      worker = {
        id,
        epoch,
        slots: { general: idle(slots), reserved: idle(reservedSlots) },
        service: new AttainedService(),
        models,
        pool: null,
        lastDispatch: 0,
        liveStartByMs: Number.POSITIVE_INFINITY,
        liveFirstUntilMs: Number.NEGATIVE_INFINITY,
      };
      this.#workers.set(id, worker);
    }
    if (
      attached === (worker.pool !== null) &&
      worker.slots.general.count === slots &&
      worker.slots.reserved.count === reservedSlots &&
      sameModels(worker.models, heartbeat.models)
    )
      return false;
    this.#leave(worker);
    worker.slots.general.count = slots;
    worker.slots.reserved.count = reservedSlots;
    worker.models = heartbeat.models;
    if (attached) this.#pool(heartbeat.models).join(worker);
    else this.#purgeIfDone(worker);
    return true;
  }

  /** Gives a credit back after a batch is over. */
  release(worker: KnownWorker, kind: SlotKind): void {
    if (worker.pool !== null) worker.pool[kind].release(worker);
    else {
      worker.slots[kind].inFlight -= 1;
      this.#purgeIfDone(worker);
    }
  }

  /** Drops a dead worker, whatever it was doing. */
  purge(id: string): void {
    const worker = this.#workers.get(id);
    if (worker === undefined) return;
    this.#leave(worker);
    this.#workers.delete(id);
  }

  #purgeIfDone(worker: KnownWorker): void {
    const { general, reserved } = worker.slots;
    if (worker.pool === null && general.inFlight + reserved.inFlight === 0) this.#workers.delete(worker.id);
  }

  #leave(worker: KnownWorker): void {
    const pool = worker.pool;
    if (pool === null) return;
    pool.leave(worker);
    if (pool.members > 0) return;
    this.#pools.delete(signature(worker.models));
    for (const name of pool.models.keys()) {
      const rest = this.poolsOf(name).filter((other) => other !== pool);
      if (rest.length === 0) this.#poolsOfModel.delete(name);
      else this.#poolsOfModel.set(name, rest);
    }
  }

  #pool(models: readonly ServedModel[]): WorkerPool {
    const key = signature(models);
    const known = this.#pools.get(key);
    if (known !== undefined) return known;
    const pool = new WorkerPool(models, this.#policy);
    this.#pools.set(key, pool);
    for (const name of pool.models.keys()) {
      this.#poolsOfModel.set(
        name,
        [...this.poolsOf(name), pool].sort((a, b) => a.models.size - b.models.size),
      );
    }
    return pool;
  }
}

function idle(count: number): WorkerSlots {
  return { count, inFlight: 0, entry: null };
}

/** What makes workers interchangeable. */
function signature(models: readonly ServedModel[]): string {
  return models
    .map((model) => `${model.name}\t${model.provider}\t${model.maxBatch}`)
    .sort()
    .join("\n");
}

function sameModels(a: readonly ServedModel[], b: readonly ServedModel[]): boolean {
  if (a === b) return true;
  const same = (one: ServedModel, other: ServedModel | undefined): boolean =>
    one.name === other?.name && one.provider === other.provider && one.maxBatch === other.maxBatch;
  return a.length === b.length && a.every((model, index) => same(model, b[index]));
}
