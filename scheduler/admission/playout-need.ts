/** What one stream's player still needs. Times are from now; those that are past count as now. */
export interface PlayoutNeed {
  /** Audio of the next chunk, and when the player needs it. */
  nextMs: number;
  nextDueMs: number;
  /** When the player needs what follows that chunk. */
  thenDueMs: number;
  /** Audio still to be spoken, the next chunk's included; infinity while more text is expected. */
  remainingMs: number;
  /** Audio of each chunk that follows. */
  chunkMs: number;
}

/**
 * The demand bound function: audio that must have been spoken within `horizonMs` for the player not to run dry. Chunks
 * count whole from the time at which their first sample is needed: their audio may come when they are done.
 */
export function dueAudioMs(need: PlayoutNeed, horizonMs: number): number {
  const { nextMs, nextDueMs, thenDueMs, remainingMs, chunkMs } = need;
  if (horizonMs < Math.min(nextDueMs, thenDueMs)) return 0;
  const following = horizonMs < thenDueMs ? 0 : chunkMs * (1 + Math.floor((horizonMs - thenDueMs) / chunkMs));
  return Math.min(remainingMs, nextMs + following);
}
