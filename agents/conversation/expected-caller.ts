import type { Clock } from "#common/clock";

/** LiveKit tells of a participant without a microphone within 3 s, and the room asks for the caller every half second. */
const ABSENT_AFTER_MS = 4000;

/**
 * Watches for a caller who was in the room when the last record was written: one who left while no runtime was there is
 * told by nobody. Calls `onAbsent` once where the caller has not been seen in time.
 */
export function expectCaller(clock: Clock, onAbsent: () => void): { seen(): void } {
  const cancel = clock.after(ABSENT_AFTER_MS, onAbsent);
  return { seen: cancel };
}
