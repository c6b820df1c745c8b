import type { ServiceError } from "#protocol/errors";
import { quietLimitMs } from "./rules.js";

/** `put-back` is waiting to be submitted again; unlike `waiting` it is not subject to pacing. */
export type AttemptState = "waiting" | "submitted" | "requeued" | "complete";

/**
 * The submissions of one chunk: where it is at work, how often that failed, how long silence is borne. Times are passed
 * in.
 */
export class Attempts {
  state: AttemptState = "waiting";
  /** Number of the latest submission; 0 before the first. */
  attempt = 0;
  /** Attempts that failed by themselves, as opposed to those lost with a scheduler or the bus. */
  failures = 0;
  schedulerId: string | null = null;
  /** A scheduler that was silent about this chunk. */
  avoid: string | null = null;
  firstSubmittedAtMs = 0;
  quietUntilMs = 0;
  offerAtMs = 0;
  /** Since when no role takes it and keeps it, and what to say if that lasts; null while all is well. */
  trouble: { sinceMs: number; error: ServiceError } | null = null;

  /** Whether a report about `attempt` concerns the submission that is out now. */
  isCurrent(attempt: number): boolean {
    return this.state === "submitted" && attempt === this.attempt;
  }

  /** Notes a submission. */
  begin(schedulerId: string, nowMs: number, quietMs: number): void {
    if (this.attempt === 0) this.firstSubmittedAtMs = nowMs;
    this.attempt++;
    this.state = "submitted";
    this.schedulerId = schedulerId;
    this.avoid = null;
    this.quietUntilMs = nowMs + quietMs;
  }

  /**
   * Notes that the attempt came to nothing by itself. It was taken: an outage before it is over, and no longer counts.
   */
  failed(): void {
    this.failures++;
    this.trouble = null;
  }

  /** Takes it back for another attempt, not before `offerAtMs`. */
  requeue(offerAtMs: number): void {
    this.state = "requeued";
    this.offerAtMs = offerAtMs;
  }

  /** Notes that the outage goes on; the newest error is the one to show. */
  troubled(nowMs: number, error: ServiceError): void {
    this.trouble = { sinceMs: this.trouble?.sinceMs ?? nowMs, error };
  }

  /** Something came of it. */
  alive(nowMs: number): void {
    this.trouble = null;
    this.waitOn(nowMs);
  }

  /** Silence from here on is counted anew. */
  waitOn(nowMs: number): void {
    this.quietUntilMs = Math.max(this.quietUntilMs, nowMs + quietLimitMs(0, this.failures));
  }
}
