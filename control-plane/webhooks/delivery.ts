import { webhookTiming } from "#protocol/webhooks";

/** A delivery that this process has taken and nobody else will, until its lease ends. */
export interface TakenDelivery {
  id: string;
  /** Names this taking. */
  lease: string;
  teamId: string;
  sessionId: string;
  endpoint: string;
  url: string;
  sealedSecret: string | null;
  body: string;
  /** Attempts before this one whose outcome is known. */
  attempts: number;
}

/** What one attempt came to. */
export interface AttemptOutcome {
  /** Null when there was no answer. */
  statusCode: number | null;
  /** Why it counts as failed; null for a success. */
  error: string | null;
}

/** An attempt as the log keeps it. */
export interface FinishedAttempt extends AttemptOutcome {
  delivery: TakenDelivery;
  startedAt: Date;
  durationMs: number;
  next: NextStep;
}

/** What becomes of a delivery after an attempt. */
export type NextStep = { status: "delivered" | "failed"; finishedAt: Date } | { status: "pending"; dueAt: Date };

/** Which deliveries may be taken now. */
export interface TakeRequest {
  now: Date;
  /** How long the taker may be silent before others may take them too. */
  leaseMs: number;
  limit: number;
  /** Have enough under way already. */
  busyEndpoints: readonly string[];
  busyTeams: readonly string[];
}

/** The book of deliveries. Whatever is not booked as finished is taken again, by anyone, when its lease ends. */
export interface DeliveryBook {
  /** Takes due deliveries, longest due first; of one session and endpoint only the earliest that is pending. */
  take(request: TakeRequest): Promise<TakenDelivery[]>;
  /**
   * Books attempts, and makes what waited behind a finished delivery due. Attempts whose lease was lost are not booked.
   */
  finish(attempts: readonly FinishedAttempt[], now: Date): Promise<void>;
  /** Makes due at `now` what is pending and due only after `latest`. */
  bringForward(latest: Date, now: Date): Promise<void>;
  /** Deletes events from before this time with their log, where nothing is pending. */
  purge(before: Date): Promise<void>;
}

/**
 * Decides after an attempt: three attempts in all, one and five seconds apart, counted from the end of the one before.
 */
export function nextStep(delivery: Pick<TakenDelivery, "attempts">, outcome: AttemptOutcome, now: Date): NextStep {
  if (outcome.error === null) return { status: "delivered", finishedAt: now };
  const delayMs = webhookTiming.retryDelaysMs[delivery.attempts];
  if (delayMs === undefined) return { status: "failed", finishedAt: now };
  return { status: "pending", dueAt: new Date(now.getTime() + delayMs) };
}
