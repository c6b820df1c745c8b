import type { ServiceTier } from "#protocol/bus/scheduling";

/**
 * Who stands in which line, in strict order of service:
 *  first   first chunks of live streams: someone waits in silence
 *  urgent  next chunks of live streams whose audio runs out soon
 *  free    the free model
 *  bulk    work nobody waits for
 *  ahead   streams with plenty of audio in hand; they move to their own lane when it runs low
 */
export const lanes = ["first", "urgent", "free", "bulk", "ahead"] as const;
export type Lane = (typeof lanes)[number];

/** The lane of a chunk that has no slack to give away. */
export function homeLane(tier: ServiceTier, chunkIndex: number): Exclude<Lane, "ahead"> {
  if (tier !== "live") return tier;
  return chunkIndex === 0 ? "first" : "urgent";
}

/** The lane of a chunk that need not start for another `slackMs`. */
export function laneOf(tier: ServiceTier, chunkIndex: number, slackMs: number, yieldSlackMs: number): Lane {
  const home = homeLane(tier, chunkIndex);
  const hasPlayer = home === "urgent" || home === "free";
  return hasPlayer && slackMs > yieldSlackMs ? "ahead" : home;
}
