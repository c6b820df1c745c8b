import { addProfile, type DemandProfile, emptyProfile, horizonsMs } from "./demand-profile.js";

/** A team that asked for nothing for so long leaves its share to the others. */
const ASKING_MS = 30_000;

/** Whether a team would have more than an equal share of what workers do by each of `horizonsMs`. */
export type ShareStanding = "above" | "within";

/**
 * What the streams of each team take, so that one that floods does not keep the others out: while several teams ask, one
 * that has more than an equal share leaves a part of the workers to those that have less.
 */
export class TeamShares {
  readonly #askedAtMs = new Map<string, number>();
  readonly #taken = new Map<string, DemandProfile>();

  /** Notes that a team asks for a stream, whether it gets it or not. */
  asked(teamId: string, nowMs: number): void {
    this.#askedAtMs.set(teamId, nowMs);
  }

  /** Begins to count what teams take anew. */
  recount(nowMs: number): void {
    this.#taken.clear();
    for (const [teamId, atMs] of this.#askedAtMs) if (nowMs - atMs > ASKING_MS) this.#askedAtMs.delete(teamId);
  }

  /** Counts what a stream of the team takes. */
  add(teamId: string, profile: DemandProfile): void {
    const taken = this.#taken.get(teamId) ?? emptyProfile();
    addProfile(taken, profile);
    this.#taken.set(teamId, taken);
  }

  /**
   * Where the team would stand at each horizon with so much more, on so many slots; null while no other team asks. The
   * horizons differ: a flood that is refused all the time has most of what is due soon, and what is due later fits.
   */
  standings(teamId: string, added: DemandProfile, slots: number): ShareStanding[] | null {
    const teams = this.#askedAtMs.size;
    if (teams <= 1) return null;
    const taken = this.#taken.get(teamId) ?? emptyProfile();
    return horizonsMs.map((horizonMs, index) =>
      (taken[index] ?? 0) + (added[index] ?? 0) > (slots * horizonMs) / teams ? "above" : "within",
    );
  }
}
