import { type DemandProfile, horizonsMs, reserveAt } from "./demand-profile.js";
import type { ShareStanding } from "./team-shares.js";

/** What workers can do, and which part of it is not for live streams. */
export interface Capacity {
  /** Engine calls that make progress at once. */
  slots: number;
  /** Part that live recognition takes. */
  recognitionShare: number;
  /** Part that work nobody waits for takes while it waits, by its floor. */
  bulkShare: number;
  /** Part that the free tier may have at most where live streams want the rest. */
  freeShare: number;
}

/** Service that admitted streams need by each horizon. */
export interface Demand {
  live: DemandProfile;
  free: DemandProfile;
}

/** What applies to a stream's team while several teams ask. */
export interface TeamTerms {
  /** Where the team stands at each horizon. */
  standings: readonly ShareStanding[];
  /** Part of the workers that it leaves to others where it has more than its share. */
  othersShare: number;
  /** Audio that players are to have in hand, which the demand counts, and with how much they do for a team that has less. */
  reserveMs: number;
  shareReserveMs: number;
}

/**
 * How many milliseconds later than needed the workers would be through with what all admitted streams and a new one
 * need, at the worst of the horizons; zero or less when nobody runs dry. Live streams have what the floors leave; the
 * free tier has its floor, and what live streams do not need. `team` is null where no other team asks.
 */
export function latenessMs(
  tier: "live" | "free",
  { live, free }: Demand,
  added: DemandProfile,
  { slots, recognitionShare, bulkShare, freeShare }: Capacity,
  team: TeamTerms | null = null,
): number {
  if (slots <= 0) return Number.POSITIVE_INFINITY;
  let worstMs = Number.NEGATIVE_INFINITY;
  for (let index = 0; index < horizonsMs.length; index += 1) {
    const horizonMs = horizonsMs[index] ?? 0;
    const isAbove = team?.standings[index] === "above";
    const share = Math.max(0, 1 - recognitionShare - bulkShare - (isAbove ? team.othersShare : 0));
    const floorMs = freeShare * slots * horizonMs;
    const supplyMs = share * slots * horizonMs;
    const [liveMs, freeMs, addedMs] = [live[index] ?? 0, free[index] ?? 0, added[index] ?? 0];
    const excessMs =
      tier === "live"
        ? liveMs + addedMs + Math.min(freeMs, floorMs) - supplyMs
        : freeMs + addedMs - Math.max(floorMs, supplyMs - liveMs);
    const allowedMs =
      team === null || isAbove ? 0 : reserveAt(horizonMs, team.reserveMs) - reserveAt(horizonMs, team.shareReserveMs);
    worstMs = Math.max(worstMs, excessMs / slots - allowedMs);
  }
  return worstMs;
}

/** Streams of a burst that come later are begun later: before this they need less than the first. */
const BURST_BEGUN_MS = 9000;

/**
 * How many live streams that each need `added` the workers can speak besides what all admitted ones need. What they
 * can begin in time is another question: none where not even one has room before all have begun.
 */
export function streamsThatFit({ live, free }: Demand, added: DemandProfile, capacity: Capacity): number {
  const { slots, recognitionShare, bulkShare, freeShare } = capacity;
  const share = Math.max(0, 1 - recognitionShare - bulkShare);
  let least = Number.POSITIVE_INFINITY;
  for (let index = 0; index < horizonsMs.length; index += 1) {
    const horizonMs = horizonsMs[index] ?? 0;
    const neededMs = (live[index] ?? 0) + Math.min(free[index] ?? 0, freeShare * slots * horizonMs);
    const restMs = share * slots * horizonMs - neededMs;
    const addedMs = added[index] ?? 0;
    if (restMs < addedMs) return 0;
    if (addedMs > 0 && horizonMs >= BURST_BEGUN_MS) least = Math.min(least, Math.floor(restMs / addedMs));
  }
  return least;
}
