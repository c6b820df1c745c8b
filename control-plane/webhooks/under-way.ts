import type { TakenDelivery } from "./delivery.js";

/** Attempts under way at once in one process. */
export interface DispatchLimits {
  total: number;
  perTeam: number;
  perEndpoint: number;
  /** Deliveries taken with one query; the other limits may be passed by as many. */
  takeAtOnce: number;
}

export const dispatchLimits: DispatchLimits = { total: 3072, perTeam: 2048, perEndpoint: 128, takeAtOnce: 64 };

/** A receiver that has not answered after this long hangs; it does until it answers sooner. */
export const HANGING_AFTER_MS = 1000;
/** How long a receiver that hung and is not sent anything counts as one that hangs. */
const REMEMBERED_MS = 60_000;
/** Of a team's places, and of all, what receivers that hang may hold: the rest is kept for those that answer. */
const HANGING_SHARE = 0.75;

/** What may be begun now. */
export interface Room {
  deliveries: number;
  /** Begin none of these: they have their share already. */
  busyEndpoints: string[];
  busyTeams: string[];
}

/** An attempt under way. */
export interface Attempt {
  endpoint: string;
  teamId: string;
  startMs: number;
}

interface EndpointUse {
  all: number;
  /** Attempts that are known to hang. */
  hanging: number;
  /** Teams may share an endpoint. */
  byTeam: Map<string, number>;
}

/**
 * Counts what is under way and decides who may begin more. Receivers that hang hold each of their places for ten
 * seconds: once they fill their share of a team's places, or of all, they get no more, and the others go on as before.
 */
export class InFlight {
  readonly #limits: DispatchLimits;
  #total = 0;
  readonly #byTeam = new Map<string, number>();
  readonly #byEndpoint = new Map<string, EndpointUse>();
  /** Attempts that are not known to hang, oldest first. */
  readonly #young = new Set<Attempt>();
  /** Endpoints that hang, and when they were last seen to, for which team; in that order. */
  readonly #hanging = new Map<string, { seenMs: number; teamId: string }>();

  constructor(limits: DispatchLimits) {
    this.#limits = limits;
  }

  /** Attempts under way. */
  get size(): number {
    return this.#total;
  }

  /** Counts an attempt that begins; to be given back to `end`. */
  begin({ endpoint, teamId }: Pick<TakenDelivery, "endpoint" | "teamId">, nowMs: number): Attempt {
    const attempt = { endpoint, teamId, startMs: nowMs };
    this.#young.add(attempt);
    this.#total++;
    addTo(this.#byTeam, teamId, 1);
    const use = this.#byEndpoint.get(endpoint) ?? { all: 0, hanging: 0, byTeam: new Map<string, number>() };
    this.#byEndpoint.set(endpoint, use);
    use.all++;
    addTo(use.byTeam, teamId, 1);
    return attempt;
  }

  /** Counts out an attempt that is over, however it ended. */
  end(attempt: Attempt, nowMs: number): void {
    this.#age(nowMs);
    const { endpoint, teamId } = attempt;
    const use = this.#byEndpoint.get(endpoint);
    if (use === undefined) return;
    if (this.#young.delete(attempt)) {
      if (use.hanging === 0) this.#hanging.delete(endpoint);
    } else {
      use.hanging--;
      this.#sawHanging(attempt, nowMs);
    }
    this.#total--;
    addTo(this.#byTeam, teamId, -1);
    addTo(use.byTeam, teamId, -1);
    use.all--;
    if (use.all === 0) this.#byEndpoint.delete(endpoint);
  }

  /** Gives what may be begun at this time. */
  room(nowMs: number): Room {
    this.#age(nowMs);
    const { total, perTeam, perEndpoint, takeAtOnce } = this.#limits;
    const full = [...this.#byEndpoint].filter(([, { all }]) => all >= perEndpoint).map(([endpoint]) => endpoint);
    return {
      deliveries: Math.max(0, Math.min(takeAtOnce, total - this.#total)),
      busyEndpoints: [...new Set([...full, ...this.#hangingThatWait()])],
      busyTeams: [...this.#byTeam].filter(([, count]) => count >= perTeam).map(([teamId]) => teamId),
    };
  }

  /** Endpoints that hang and may have no more, because their kind has its share. */
  #hangingThatWait(): string[] {
    const held = this.#heldByHanging();
    if (held.total >= this.#limits.total * HANGING_SHARE) return [...this.#hanging.keys()];
    const fullTeams = new Set(
      [...held.byTeam].filter(([, count]) => count >= this.#limits.perTeam * HANGING_SHARE).map(([teamId]) => teamId),
    );
    if (fullTeams.size === 0) return [];
    const teamsOf = (endpoint: string, teamId: string): string[] => [
      teamId,
      ...(this.#byEndpoint.get(endpoint)?.byTeam.keys() ?? []),
    ];
    return [...this.#hanging]
      .filter(([endpoint, { teamId }]) => teamsOf(endpoint, teamId).some((team) => fullTeams.has(team)))
      .map(([endpoint]) => endpoint);
  }

  #heldByHanging(): { total: number; byTeam: Map<string, number> } {
    const held = { total: 0, byTeam: new Map<string, number>() };
    for (const endpoint of this.#hanging.keys()) {
      const use = this.#byEndpoint.get(endpoint);
      held.total += use?.all ?? 0;
      for (const [teamId, count] of use?.byTeam ?? []) addTo(held.byTeam, teamId, count);
    }
    return held;
  }

  #age(nowMs: number): void {
    for (const attempt of this.#young) {
      if (nowMs - attempt.startMs < HANGING_AFTER_MS) break;
      this.#young.delete(attempt);
      const use = this.#byEndpoint.get(attempt.endpoint);
      if (use !== undefined) use.hanging++;
      this.#sawHanging(attempt, nowMs);
    }
    for (const [endpoint, { seenMs }] of this.#hanging) {
      if (nowMs - seenMs < REMEMBERED_MS) break;
      this.#hanging.delete(endpoint);
    }
  }

  #sawHanging({ endpoint, teamId }: Attempt, nowMs: number): void {
    this.#hanging.delete(endpoint);
    this.#hanging.set(endpoint, { seenMs: nowMs, teamId });
  }
}

function addTo(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
