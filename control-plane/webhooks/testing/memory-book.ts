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

  /** Writes a delivery behind the earlier ones of its session and endpoint. */
  add(given: { sessionId: string; endpoint: string; atMs: number; teamId?: string }): MemoryDelivery {
    const lane = this.#lane(given.sessionId, given.endpoint);
    const waits = lane.some(({ status }) => status === "pending");
    const delivery: MemoryDelivery = {
      id: `${given.endpoint}/${given.sessionId}/${lane.length + 1}`,
      teamId: given.teamId ?? "team",
      sessionId: given.sessionId,
      endpoint: given.endpoint,
      position: lane.length + 1,
      status: "pending",
      dueAtMs: waits ? null : given.atMs,
      attempts: 0,
      lease: null,
    };
    this.deliveries.push(delivery);
    return delivery;
  }

  take(request: TakeRequest): Promise<TakenDelivery[]> {
    if (this.isAway) return Promise.reject(new Error("away"));
    const lease = newIdentifier();
    const due = this.deliveries
      .filter(({ status, dueAtMs }) => status === "pending" && dueAtMs !== null && dueAtMs <= request.now.getTime())
      .filter(({ endpoint, teamId }) => !request.busyEndpoints.includes(endpoint) && !request.busyTeams.includes(teamId))
      .toSorted((a, b) => (a.dueAtMs ?? 0) - (b.dueAtMs ?? 0))
      .slice(0, request.limit);
    for (const delivery of due) Object.assign(delivery, { lease, dueAtMs: request.now.getTime() + request.leaseMs });
    return Promise.resolve(
      due.map(({ id, teamId, sessionId, endpoint, attempts }) => ({
        ...{ id, lease, teamId, sessionId, endpoint, attempts },
        url: `https://${endpoint}/`,
        sealedSecret: null,
        body: id,
      })),
    );
  }

  finish(attempts: readonly FinishedAttempt[], now: Date): Promise<void> {
    if (this.isAway) return Promise.reject(new Error("away"));
    for (const attempt of attempts) {
      const found = this.deliveries.find(({ id, lease }) => id === attempt.delivery.id && lease === attempt.delivery.lease);
      if (found === undefined || found.status !== "pending") continue;
      this.finished.push(attempt);
      const { next } = attempt;
      const dueAtMs = next.status === "pending" ? next.dueAt.getTime() : null;
      Object.assign(found, { status: next.status, attempts: found.attempts + 1, lease: null, dueAtMs });
      const first = this.#lane(found.sessionId, found.endpoint).find(({ status }) => status === "pending");
      if (next.status !== "pending" && first !== undefined) first.dueAtMs ??= now.getTime();
    }
    return Promise.resolve();
  }

  forget(): Promise<void> {
    return Promise.resolve();
  }

  #lane(sessionId: string, endpoint: string): MemoryDelivery[] {
    return this.deliveries.filter((delivery) => delivery.sessionId === sessionId && delivery.endpoint === endpoint);
  }
}
