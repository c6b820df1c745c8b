import { HEARTBEAT_INTERVAL_MS, type Heartbeat, MEMBER_TIMEOUT_MS } from "#protocol/bus/membership";

/** Two heartbeats are missing, and the second is not merely late. */
const SUSPECT_MS = 2.4 * HEARTBEAT_INTERVAL_MS;

/**
 * What changed among the members. `lost` means that all work held there is gone: silence, or the same id with a new
 * epoch.
 */
export type MembershipChange = { type: "joined" | "updated" | "lost"; member: Heartbeat };

/** The members that one process has seen. Pure bookkeeping: times are passed in. */
export class Membership {
  readonly #members = new Map<string, { heartbeat: Heartbeat; lastSeenMs: number; isForgiven: boolean }>();

  /** Takes a heartbeat in; gives what it changed, in order. A `stopped` member leaves at once. */
  receive(heartbeat: Heartbeat, nowMs: number): MembershipChange[] {
    const known = this.#members.get(heartbeat.id);
    const changes: MembershipChange[] = [];
    if (known !== undefined && known.heartbeat.epoch !== heartbeat.epoch) {
      this.#members.delete(heartbeat.id);
      changes.push({ type: "lost", member: known.heartbeat });
    }
    const current = this.#members.get(heartbeat.id);
    if (heartbeat.state === "stopped") {
      if (current !== undefined) {
        this.#members.delete(heartbeat.id);
        changes.push({ type: "lost", member: current.heartbeat });
      }
      return changes;
    }
    this.#members.set(heartbeat.id, { heartbeat, lastSeenMs: nowMs, isForgiven: false });
    changes.push({ type: current === undefined ? "joined" : "updated", member: heartbeat });
    return changes;
  }

  /** Drops members unheard of for `MEMBER_TIMEOUT_MS`; call it about every heartbeat interval. */
  expire(nowMs: number): MembershipChange[] {
    const changes: MembershipChange[] = [];
    for (const [id, { heartbeat, lastSeenMs }] of this.#members) {
      if (nowMs - lastSeenMs <= MEMBER_TIMEOUT_MS) continue;
      this.#members.delete(id);
      changes.push({ type: "lost", member: heartbeat });
    }
    return changes;
  }

  /**
   * Gives everyone a fresh start after an interruption of the bus: silence was the bus's, not theirs.
   * Without it a NATS restart longer than the timeout would declare the whole cluster dead.
   */
  forgiveSilence(nowMs: number): void {
    for (const member of this.#members.values()) Object.assign(member, { lastSeenMs: nowMs, isForgiven: true });
  }

  /** Members that have missed heartbeats since they were last seen, and not while the bus was away. */
  suspects(nowMs: number): Heartbeat[] {
    return [...this.#members.values()]
      .filter(({ lastSeenMs, isForgiven }) => !isForgiven && nowMs - lastSeenMs > SUSPECT_MS)
      .map(({ heartbeat }) => heartbeat);
  }

  /** Drops a suspect that is known to be gone; one that was seen since, or is another process, stays. */
  dropSuspect({ id, epoch }: Heartbeat, nowMs: number): MembershipChange[] {
    const suspect = this.suspects(nowMs).find((member) => member.id === id && member.epoch === epoch);
    if (suspect === undefined) return [];
    this.#members.delete(id);
    return [{ type: "lost", member: suspect }];
  }

  get(id: string): Heartbeat | undefined {
    return this.#members.get(id)?.heartbeat;
  }

  /** All live members of one role. */
  ofRole<R extends Heartbeat["role"]>(role: R): Extract<Heartbeat, { role: R }>[] {
    const isOfRole = (heartbeat: Heartbeat): heartbeat is Extract<Heartbeat, { role: R }> => heartbeat.role === role;
    return [...this.#members.values()].map((member) => member.heartbeat).filter(isOfRole);
  }
}
