import type { Clock } from "#common/clock";
import { Membership, type MembershipChange } from "#common/membership/membership";
import { HEARTBEAT_INTERVAL_MS } from "#protocol/bus/membership";
import type { SchedulerEvent } from "#scheduler/core/events";
import { SchedulerCore } from "#scheduler/core/scheduler-core";
import type { SchedulingPolicy } from "#scheduler/policy";
import type { WorkerHeartbeat } from "#scheduler/workers/worker-registry";
import type { Network } from "./network.js";

/** What the cores cost, over all schedulers. */
export interface CoreCost {
  /** Submissions, cancellations and completions. */
  chunkEvents: number;
  chunkWallMs: number;
  /** Heartbeats, mostly. */
  otherEvents: number;
  otherWallMs: number;
  faults: number;
}

/** A real scheduler core on the simulated bus. */
export class SimulatedScheduler {
  readonly #id: string;
  readonly #network: Network;
  readonly #clock: Clock;
  readonly #core: SchedulerCore;
  readonly #cost: CoreCost;
  readonly #members = new Membership();
  #wakeAtMs = Number.POSITIVE_INFINITY;
  #alive = true;

  constructor(options: { id: string; network: Network; clock: Clock; policy: SchedulingPolicy; cost: CoreCost }) {
    this.#id = options.id;
    this.#network = options.network;
    this.#clock = options.clock;
    this.#cost = options.cost;
    this.#core = new SchedulerCore({ schedulerId: options.id, epoch: options.id, policy: options.policy });
    options.network.schedulers.set(options.id, {
      receive: (message) => this.#step(message),
      receiveWorker: (heartbeat) => this.#receive(heartbeat),
    });
    this.#beat();
  }

  kill(): void {
    this.#alive = false;
    this.#network.schedulers.delete(this.#id);
  }

  pending(): { queuedChunks: number; runningBatches: number } {
    return this.#core.pending();
  }

  #beat(): void {
    if (!this.#alive) return;
    for (const change of this.#members.expire(this.#clock.nowMs())) this.#changed(change);
    this.#network.schedulerHeartbeat(this.#id, this.#core.loads(this.#clock.nowMs()));
    this.#clock.after(HEARTBEAT_INTERVAL_MS, () => this.#beat());
  }

  #receive(heartbeat: WorkerHeartbeat): void {
    for (const change of this.#members.receive(heartbeat, this.#clock.nowMs())) this.#changed(change);
  }

  #changed({ type, member }: MembershipChange): void {
    if (member.role !== "worker") return;
    this.#step(
      type === "lost"
        ? { type: "worker-lost", workerId: member.id, epoch: member.epoch }
        : { type: "worker-seen", heartbeat: member },
    );
  }

  #step(event: SchedulerEvent): void {
    if (!this.#alive) return;
    const startMs = performance.now();
    const { effects, faults } = this.#core.handle(event, this.#clock.nowMs());
    const tookMs = performance.now() - startMs;
    if (event.type === "submit" || event.type === "done" || event.type === "cancel") {
      this.#cost.chunkWallMs += tookMs;
      this.#cost.chunkEvents += 1;
    } else {
      this.#cost.otherWallMs += tookMs;
      this.#cost.otherEvents += 1;
    }
    this.#cost.faults += faults.length;
    for (const effect of effects) {
      if (effect.to === "worker") this.#network.toWorker(effect.workerId, effect.message);
      else this.#network.toEdge(effect.ownerId, effect.message);
    }
    const wakeMs = this.#core.nextWakeMs();
    if (wakeMs === null || wakeMs >= this.#wakeAtMs) return;
    this.#wakeAtMs = wakeMs;
    this.#clock.after(wakeMs - this.#clock.nowMs(), () => {
      this.#wakeAtMs = Number.POSITIVE_INFINITY;
      this.#step({ type: "tick" });
    });
  }
}
