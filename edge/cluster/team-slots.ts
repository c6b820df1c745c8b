import type { Principal } from "#protocol/bus/control";
import { ServiceError } from "#protocol/errors";

/** Bounds the streams that one team has at once on this edge. */
export class TeamSlots {
  readonly #limit: number;
  readonly #taken = new Map<string, number>();

  /** `limit` applies to every team, 0 is none; a principal's own limit applies besides. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Throws `too_many_requests` when the team has no slot left. */
  check(principal: Principal): void {
    const limits = [this.#limit, principal.maxConcurrentStreams].filter((limit) => limit > 0);
    if ((this.#taken.get(principal.teamId) ?? 0) >= Math.min(...limits, Number.POSITIVE_INFINITY))
      throw new ServiceError("too_many_requests");
  }

  /** Takes a slot; the returned function gives it back, once. Throws `too_many_requests`. */
  take(principal: Principal): () => void {
    this.check(principal);
    const { teamId } = principal;
    this.#taken.set(teamId, (this.#taken.get(teamId) ?? 0) + 1);
    let given = false;
    return () => {
      if (given) return;
      given = true;
      const rest = (this.#taken.get(teamId) ?? 1) - 1;
      if (rest === 0) this.#taken.delete(teamId);
      else this.#taken.set(teamId, rest);
    };
  }
}
