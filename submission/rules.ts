/**
 * Rules of repair, as numbers, for everything that schedulers are given: speech and audio (docs/architecture.md
 * "Promises").
 */

/**
 * Attempts that may fail by themselves (worker lost, engine error, gap, silence) before the work ends with an error.
 */
export const MAX_FAILED_ATTEMPTS = 3;

/**
 * A submitted chunk from which nothing comes for this long, beyond its slack, is submitted again. Doubles per failure.
 */
const QUIET_MS = 10_000;

/** Slack counted towards patience with a scheduler: it may rightly let a stream with much slack wait. */
const MAX_COUNTED_SLACK_MS = 30_000;

/** How long a chunk may go without any scheduler that takes it, while roles restart, before its stream ends. */
export const OUTAGE_PATIENCE_MS = 20_000;

/** How long the very first chunk waits for a scheduler: nothing was promised yet, so the caller gets an answer soon. */
export const OPENING_PATIENCE_MS = 1000;

/** How often a chunk that nobody takes is offered again. */
export const OFFER_AGAIN_MS = 100;

/**
 * A chunk refused in the middle of a stream is offered again after what the scheduler asks for, but not later than
 * this.
 */
const MOST_REFUSAL_WAIT_MS = 500;

/** How long silence about a chunk submitted now is borne. */
export function quietLimitMs(slackMs: number, failures: number): number {
  return QUIET_MS * 2 ** failures + Math.min(MAX_COUNTED_SLACK_MS, Math.max(0, slackMs));
}

/** When a chunk that was refused in the middle of its stream is offered again. */
export function afterRefusalMs(retryAfterMs: number | null): number {
  return Math.min(retryAfterMs ?? OFFER_AGAIN_MS, MOST_REFUSAL_WAIT_MS);
}
