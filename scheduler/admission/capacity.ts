import { type DemandProfile, horizonsMs } from "./demand-profile.js";

/** What workers can do, and which part of it is not for live streams. */
export interface Capacity {
  /** Engine calls that make progress at once. */
  slots: number;
  /** Part that live recognition takes. */
  recognitionShare: number;
  /** Part that work nobody waits for takes while it waits, by its floor. */
  bulkShare: number;
  /** Part that is left to other teams. */
  othersShare: number;
  /** Part that the free tier may have at most where live streams want the rest. */
  freeShare: number;
}

/** Service that admitted streams need by each horizon. */
export interface Demand {
  live: DemandProfile;
  free: DemandProfile;
}

/**
 * How many milliseconds later than needed the workers would be through with what all admitted streams and a new one
 * need, at the worst of the horizons; zero or less when nobody runs dry. Live streams have what the floors leave; the
 * free tier has its floor, and what live streams do not need.
 */
export function latenessMs(
  tier: "live" | "free",
  { live, free }: Demand,
  added: DemandProfile,
  { slots, recognitionShare, bulkShare, othersShare, freeShare }: Capacity,
): number {
  if (slots <= 0) return Number.POSITIVE_INFINITY;
  const share = Math.max(0, 1 - recognitionShare - bulkShare - othersShare);
  let worstMs = Number.NEGATIVE_INFINITY;
  for (let index = 0; index < horizonsMs.length; index += 1) {
    const horizonMs = horizonsMs[index] ?? 0;
    const floorMs = freeShare * slots * horizonMs;
    const supplyMs = share * slots * horizonMs;
    const [liveMs, freeMs, addedMs] = [live[index] ?? 0, free[index] ?? 0, added[index] ?? 0];
    const excessMs =
      tier === "live"
        ? liveMs + addedMs + Math.min(freeMs, floorMs) - supplyMs
        : freeMs + addedMs - Math.max(floorMs, supplyMs - liveMs);
    worstMs = Math.max(worstMs, excessMs / slots);
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
  const { slots, recognitionShare, bulkShare, othersShare, freeShare } = capacity;
  const share = Math.max(0, 1 - recognitionShare - bulkShare - othersShare);
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
