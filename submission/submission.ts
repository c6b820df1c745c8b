import type { WorkChunk } from "#protocol/bus/scheduling";
import type { ServiceError } from "#protocol/errors";
import { quietLimitMs } from "./rules.js";

/**
 * Where a chunk is. `waiting`: not offered yet, its owner paces it. `submitted`: a scheduler has it. `requeued`: taken
 * back, to be offered again whatever the pace. `over`: its result came, or the owner gave it up.
 */
export type SubmissionState = "waiting" | "submitted" | "requeued" | "over";

/**
 * One chunk of a stream: its state, its attempts, and how long its owner bears silence about it. Times are passed in.
 */
export abstract class Submission {
  state: SubmissionState = "waiting";
  /** Number of the latest attempt; 0 before the first. */
  attempt = 0;
  /** Attempts that failed by themselves, as opposed to those lost with a scheduler or the bus. */
  failures = 0;
  /** How often the owner sent the current attempt again because its scheduler was silent. */
  repeats = 0;
  schedulerId: string | null = null;
  /** A scheduler that was silent about this chunk. */
  avoid: string | null = null;
  firstSubmittedAtMs = 0;
  submittedAtMs = 0;
  /** When the result is wanted, as of the latest attempt. */
  wantedAtMs = 0;
  quietUntilMs = 0;
  offerAtMs = 0;
  /** Since when no scheduler takes and keeps the chunk, and the error to give if that lasts; null while all is well. */
  outage: { sinceMs: number; error: ServiceError } | null = null;

  constructor(
    readonly chunkIndex: number,
    readonly addedAtMs: number,
  ) {}

  /** The chunk as it is submitted now. */
  abstract chunk(): WorkChunk;

  /** Whether a report about `attempt` concerns the attempt that is out now. */
  isCurrent(attempt: number): boolean {
    return this.state === "submitted" && attempt === this.attempt;
  }

  /** Whether it may be offered to a scheduler now. */
  isDue(nowMs: number): boolean {
    return this.state === "waiting" || (this.state === "requeued" && nowMs >= this.offerAtMs);
  }

  /** Notes that a new attempt is out. */
  begin(schedulerId: string, slackMs: number, nowMs: number): void {
    if (this.attempt === 0) this.firstSubmittedAtMs = nowMs;
    this.attempt++;
    this.state = "submitted";
    this.schedulerId = schedulerId;
    this.avoid = null;
    this.repeats = 0;
    this.submittedAtMs = nowMs;
    this.wantedAtMs = nowMs + slackMs;
    this.quietUntilMs = nowMs + quietLimitMs(slackMs, this.failures);
  }

  /** Takes it back for another attempt, not before `offerAtMs`. */
  requeue(offerAtMs: number): void {
    this.state = "requeued";
    this.offerAtMs = offerAtMs;
  }

  /** Notes that the outage goes on; the newest error is the one to give. */
  noteOutage(nowMs: number, error: ServiceError): void {
    this.outage = { sinceMs: this.outage?.sinceMs ?? nowMs, error };
  }

  /** Counts silence anew from here on. */
  waitOn(nowMs: number): void {
    this.quietUntilMs = Math.max(this.quietUntilMs, nowMs + quietLimitMs(0, this.failures));
  }
}
