import type { ServedModel } from "#protocol/bus/membership";
import type { Bus } from "../bus/bus.js";
import type { Clock } from "../clock.js";
import { followMembers } from "./heartbeat.js";
import type { Membership, MembershipChange } from "./membership.js";
import { type Burden, chooseScheduler } from "./scheduler-choice.js";

/**
 * What a role that submits work knows of the cluster: who lives, what workers serve, which scheduler to send to. One
 * per process.
 */
export class ClusterView {
  readonly members: Membership;
  readonly #bus: Bus;
  readonly #stopMembers: () => void;
  readonly #callbacks: ((change: MembershipChange) => void)[] = [];
  readonly #sentSinceHeartbeat = new Map<string, number>();
  /**
   * Schedulers seen since the bus was last restored: one that is not connected again yet would never get what is sent
   * to it.
   */
  readonly #reachable = new Set<string>();

  constructor(options: { bus: Bus; clock: Clock }) {
    this.#bus = options.bus;
    const followed = followMembers({ ...options, onChange: (change) => this.#changed(change) });
    this.members = followed.members;
    this.#stopMembers = followed.stop;
    options.bus.onReconnect(() => this.#reachable.clear());
  }

  /** Calls back for every member that comes, changes or goes. */
  onChange(callback: (change: MembershipChange) => void): void {
    this.#callbacks.push(callback);
  }

  /** What ready workers serve for a task, each model once. */
  served(task: ServedModel["task"]): ServedModel[] {
    return servedBy(this.members, task);
  }

  /** Engine calls that all workers run at once for a model, as their schedulers say. */
  slotsOf(model: string): number {
    const loads = this.members.ofRole("scheduler").flatMap((scheduler) => scheduler.loads);
    return loads.reduce((sum, load) => sum + (load.model === model ? load.slots : 0), 0);
  }

  /** Names the scheduler for a chunk that is sent at once (`chooseScheduler`); null when none can take it now. */
  chooseScheduler(options: { model: string; keep: string | null; avoid: string | null; by: Burden }): string | null {
    if (!this.#bus.isConnected()) return null;
    const schedulers = this.members.ofRole("scheduler").filter((scheduler) => this.#reachable.has(scheduler.id));
    const chosen = chooseScheduler({ ...options, schedulers, sentSinceHeartbeat: this.#sentSinceHeartbeat });
    if (chosen !== null) this.#sentSinceHeartbeat.set(chosen, (this.#sentSinceHeartbeat.get(chosen) ?? 0) + 1);
    return chosen;
  }

  /** Ends the subscription. */
  close(): void {
    this.#stopMembers();
  }

  #changed(change: MembershipChange): void {
    const { member, type } = change;
    if (member.role === "scheduler") {
      this.#sentSinceHeartbeat.delete(member.id);
      if (type === "lost") this.#reachable.delete(member.id);
      else this.#reachable.add(member.id);
    }
    for (const callback of this.#callbacks) callback(change);
  }
}

/** What ready workers among members serve for a task, each model once. */
export function servedBy(members: Pick<Membership, "ofRole">, task: ServedModel["task"]): ServedModel[] {
  const models = new Map<string, ServedModel>();
  for (const worker of members.ofRole("worker")) {
    if (worker.state !== "ready") continue;
    for (const model of worker.models)
      if (model.task === task && !models.has(model.name)) models.set(model.name, model);
  }
  return [...models.values()];
}
