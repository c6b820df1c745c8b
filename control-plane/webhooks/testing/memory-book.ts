import type { Clock } from "#common/clock";
import { newIdentifier } from "#common/identifier";
import type { DeliveryBook, FinishedAttempt, TakenDelivery, TakeRequest } from "../delivery.js";

/** A delivery as the memory book holds it. */
export interface MemoryDelivery {
  id: string;
  teamId: string;
  sessionId: string;
  endpoint: string;
  position: number;
  status: "pending" | "delivered" | "failed";
  dueAtMs: number | null;
  attempts: number;
  lease: string | null;
}

/** The book of deliveries without a database: the same promises, for tests in virtual time. */
export class MemoryBook implements DeliveryBook {
  readonly deliveries: MemoryDelivery[] = [];
  readonly finished: FinishedAttempt[] = [];
  /** While true, every call fails as it does when the database is away. */
  isAway = false;
  /** How long each call takes, one after the other; nothing when absent. */
  speed: { clock: Clock; takeMs: number; finishMs: number } | null = null;
  readonly #byId = new Map<string, MemoryDelivery>();
  readonly #lanes = new Map<string, MemoryDelivery[]>();
  /** Neither delivered nor failed, nor behind one of these. */
  readonly #dated = new Set<MemoryDelivery>();
  #freeAtMs = 0;

  /** Writes a delivery behind the earlier ones of its session and endpoint. */
  add(given: { sessionId: string; endpoint: string; atMs: number; teamId?: string }): MemoryDelivery {
    const key = `${given.endpoint}/${given.sessionId}`;
    const lane = this.#lanes.get(key) ?? [];
    this.#lanes.set(key, lane);
    const waits = lane.some(({ status }) => status === "pending");
    const delivery: MemoryDelivery = {
      id: `${key}/${lane.length + 1}`,
      teamId: given.teamId ?? "team",
      sessionId: given.sessionId,
      endpoint: given.endpoint,
      position: lane.length + 1,
      status: "pending",
      dueAtMs: waits ? null : given.atMs,
      attempts: 0,
      lease: null,
    };
    lane.push(delivery);
    this.deliveries.push(delivery);
    this.#byId.set(delivery.id, delivery);
    if (!waits) this.#dated.add(delivery);
    return delivery;
  }

  async take(request: TakeRequest): Promise<TakenDelivery[]> {
    await this.#inTurn(this.speed?.takeMs ?? 0);
    const [lease, nowMs] = [newIdentifier(), request.now.getTime()];
    const [endpoints, teams] = [new Set(request.busyEndpoints), new Set(request.busyTeams)];
    const due = [...this.#dated]
      .filter(
        ({ dueAtMs, endpoint, teamId }) =>
          dueAtMs !== null && dueAtMs <= nowMs && !endpoints.has(endpoint) && !teams.has(teamId),
      )
      .toSorted((a, b) => (a.dueAtMs ?? 0) - (b.dueAtMs ?? 0))
      .slice(0, request.limit);
    for (const delivery of due) Object.assign(delivery, { lease, dueAtMs: nowMs + request.leaseMs });
    return due.map(({ id, teamId, sessionId, endpoint, attempts }) => ({
      ...{ id, lease, teamId, sessionId, endpoint, attempts },
      url: `https://${endpoint}/`,
      sealedSecret: null,
      body: id,
    }));
  }

  async finish(attempts: readonly FinishedAttempt[], now: Date): Promise<void> {
    await this.#inTurn(this.speed?.finishMs ?? 0);
    for (const attempt of attempts) {
      const found = this.#byId.get(attempt.delivery.id);
      if (found === undefined || found.lease !== attempt.delivery.lease || found.status !== "pending") continue;
      this.finished.push(attempt);
      const { next } = attempt;
      const dueAtMs = next.status === "pending" ? next.dueAt.getTime() : null;
      Object.assign(found, { status: next.status, attempts: found.attempts + 1, lease: null, dueAtMs });
      if (next.status === "pending") continue;
      this.#dated.delete(found);
      const first = this.#lanes.get(`${found.endpoint}/${found.sessionId}`)?.find(({ status }) => status === "pending");
      if (first === undefined) continue;
      first.dueAtMs ??= now.getTime();
      this.#dated.add(first);
    }
  }

  async bringForward(latest: Date, now: Date): Promise<void> {
    await this.#inTurn(0);
    for (const delivery of this.#dated)
      if ((delivery.dueAtMs ?? 0) > latest.getTime()) Object.assign(delivery, { lease: null, dueAtMs: now.getTime() });
  }

  purge(): Promise<void> {
    return Promise.resolve();
  }

  async #inTurn(durationMs: number): Promise<void> {
    if (this.isAway) throw new Error("away");
    if (this.speed === null) return;
    const { clock } = this.speed;
    this.#freeAtMs = Math.max(clock.nowMs(), this.#freeAtMs) + durationMs;
    await new Promise<void>((resolve) => clock.after(this.#freeAtMs - clock.nowMs(), resolve));
  }
}
