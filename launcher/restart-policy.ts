/** How a child that keeps ending is treated. All times in milliseconds. */
export interface RestartPolicy {
  /** Wait before the second restart in a row; the first is immediate. Each further wait is twice the one before. */
  firstWaitMs: number;
  longestWaitMs: number;
  /** A child that lived this long after it was ready is healthy: its next end counts as its first. */
  healthyMs: number;
}

export const defaultRestartPolicy: RestartPolicy = { firstWaitMs: 200, longestWaitMs: 10_000, healthyMs: 10_000 };

/** What is remembered about a child between its lives. */
export interface RestartHistory {
  /** Ends in a row, none of them after a healthy life. */
  failuresInARow: number;
}

export const cleanHistory: RestartHistory = { failuresInARow: 0 };

/**
 * Decides when a child that has just ended starts again. `readyForMs` is how long it had been ready, null when it never
 * was. Waits 0, first, 2 × first, 4 × first… up to the longest.
 */
export function decideRestart(
  history: RestartHistory,
  readyForMs: number | null,
  policy: RestartPolicy,
): { waitMs: number; history: RestartHistory } {
  const wasHealthy = readyForMs !== null && readyForMs >= policy.healthyMs;
  const failuresInARow = wasHealthy ? 1 : history.failuresInARow + 1;
  // The exponent is bounded: 2 ** 1100 is Infinity, and 0 × Infinity would not be a wait.
  const waitMs =
    failuresInARow === 1
      ? 0
      : Math.min(policy.longestWaitMs, policy.firstWaitMs * 2 ** Math.min(failuresInARow - 2, 30));
  return { waitMs, history: { failuresInARow } };
}
