import { dueAudioMs, type PlayoutNeed } from "./playout-need.js";

/** Times from now at which what is due by then is held against what can be done by then. */
export const horizonsMs = [250, 500, 1000, 1500, 2500, 4000, 6000, 9000, 16_000] as const;

/** Service that must be done by each of `horizonsMs`. */
export type DemandProfile = Float64Array;

export function emptyProfile(): DemandProfile {
  return new Float64Array(horizonsMs.length);
}

/**
 * Adds what a player needs, `serviceMs` for each millisecond of its audio. What is due within `reserveMs` after a
 * horizon counts too, so that players have that much in hand; a stream that has just begun cannot have it yet, so less
 * counts at the near horizons.
 */
export function addNeed(
  profile: DemandProfile,
  need: PlayoutNeed,
  { serviceMs, reserveMs }: { serviceMs: number; reserveMs: number },
): void {
  for (let index = 0; index < horizonsMs.length; index += 1) {
    const horizonMs = horizonsMs[index] ?? 0;
    const dueMs = dueAudioMs(need, horizonMs + reserveAt(horizonMs, reserveMs));
    profile[index] = (profile[index] ?? 0) + dueMs * serviceMs;
  }
}

/** What counts of a reserve at a horizon. */
export function reserveAt(horizonMs: number, reserveMs: number): number {
  return Math.min(reserveMs, horizonMs / 3);
}

/** All that a profile counts: what is due by the last horizon. */
export function totalOf(profile: DemandProfile): number {
  return profile.at(-1) ?? 0;
}

/** Moves a profile towards another one, by `share` of what is between them: a running mean of those that come. */
export function moveTowards(profile: DemandProfile, other: DemandProfile, share: number): void {
  for (let index = 0; index < profile.length; index += 1)
    profile[index] = (profile[index] ?? 0) * (1 - share) + share * (other[index] ?? 0);
}

/** Adds `share` of another profile. */
export function addProfile(profile: DemandProfile, other: DemandProfile, share = 1): void {
  for (let index = 0; index < profile.length; index += 1)
    profile[index] = (profile[index] ?? 0) + share * (other[index] ?? 0);
}
