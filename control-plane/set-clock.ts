/** How far the clocks of two instances may be apart. */
const SKEW_MS = 60_000;

/**
 * The latest that a time may be which some instance set `farthestMs` ahead at most. A later one was set before the clock
 * was set back: whoever waited for it would wait that much longer.
 */
export function latestFrom(now: Date, farthestMs: number): Date {
  return new Date(now.getTime() + farthestMs + SKEW_MS);
}

/** Whether a time has come that some instance set `farthestMs` ahead at most. */
export function hasCome(time: Date, now: Date, farthestMs: number): boolean {
  return time <= now || time > latestFrom(now, farthestMs);
}
