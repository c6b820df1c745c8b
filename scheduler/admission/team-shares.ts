/** A team that asked for nothing for so long leaves its share to the others. */
const ASKING_MS = 30_000;

/**
 * What the streams of each team take, so that one that floods does not keep the others out: while several teams ask, one
 * that has more than an equal share leaves a part of the workers to those that have less.
 */
export class TeamShares {
  readonly #askedAtMs = new Map<string, number>();
  readonly #serviceMs = new Map<string, number>();

  /** Notes that a team asks for a stream, whether it gets it or not. */
  asked(teamId: string, nowMs: number): void {
    this.#askedAtMs.set(teamId, nowMs);
  }

  /** Begins to count what teams take anew. */
  recount(nowMs: number): void {
    this.#serviceMs.clear();
    for (const [teamId, atMs] of this.#askedAtMs) if (nowMs - atMs > ASKING_MS) this.#askedAtMs.delete(teamId);
  }

  /** Counts what a stream of the team takes. */
  add(teamId: string, serviceMs: number): void {
    this.#serviceMs.set(teamId, this.#taken(teamId) + serviceMs);
  }

  #taken(teamId: string): number {
    return this.#serviceMs.get(teamId) ?? 0;
  }

  /** Whether the team would have more than an equal share of `supplyMs` with so much more, while others ask too. */
  isAboveShare(teamId: string, addedMs: number, supplyMs: number): boolean {
    const teams = this.#askedAtMs.size;
    return teams > 1 && this.#taken(teamId) + addedMs > supplyMs / teams;
  }
}
