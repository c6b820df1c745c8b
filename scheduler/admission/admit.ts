import type { ServiceTier } from "#protocol/bus/scheduling";
import { ServiceError } from "#protocol/errors";
import type { SchedulingPolicy } from "../policy.js";
import type { PredictedWait } from "./predicted-wait.js";

/** What the admission of a new stream looks at. */
export interface AdmissionFacts {
  model: string;
  tier: ServiceTier;
  /** Part of a conversation that was admitted before: refusing it would end that. */
  isAdmitted: boolean;
  /** The stream's own limit, where it has one. */
  mostWaitMs: number | undefined;
  draining: boolean;
  served: boolean;
  queuedChunks: number;
  wait: Pick<PredictedWait, "liveMs" | "freeMs">;
  /** Predicted p95 milliseconds of the chunk itself. */
  ownMs: number;
  /** How much later than players need it the workers would speak with this stream besides those that they have. */
  latenessMs: number;
  /** How late the most urgent running stream is; negative while all are on time. */
  runningLateMs: number;
}

const SHORTEST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 10_000;

/** Streams once admitted are always taken, up to the bound on memory; null is yes. */
export function admitContinuation(queuedChunks: number, policy: SchedulingPolicy): ServiceError | null {
  return queuedChunks >= policy.hardQueueChunks ? overloaded(LONGEST_RETRY_MS) : null;
}

/**
 * Decides about the first try of a stream's first chunk by predicted finish; null is yes. Brownout in two levels: from
 * a part of the limit on, new free and bulk streams are refused; at the limit, new live ones. Running ones never. What
 * waits for nothing is taken however long it is predicted to take: a machine that was slow for a while learns from it
 * that it is not any more.
 */
export function admitNewStream(facts: AdmissionFacts, policy: SchedulingPolicy): ServiceError | null {
  if (facts.draining) return new ServiceError("draining");
  if (!facts.served) return new ServiceError("no_worker", { parameters: { model: facts.model } });

  if (facts.isAdmitted) return null;
  const liveFinishMs = facts.wait.liveMs === 0 ? 0 : facts.wait.liveMs + facts.ownMs;
  const queueChunks = facts.tier === "live" ? policy.queueChunks : policy.queueChunks * policy.brownoutFraction;
  if (facts.queuedChunks >= queueChunks) return overloaded(liveFinishMs);
  if (facts.runningLateMs > policy.runningLateMs) return overloaded(facts.runningLateMs);
  if (facts.latenessMs > 0) return overloaded(facts.latenessMs);
  const limitMs = Math.min(policy.admissionWaitMs, facts.mostWaitMs ?? Number.POSITIVE_INFINITY);
  if (facts.tier === "live") return liveFinishMs > limitMs ? overloaded(liveFinishMs - limitMs) : null;
  const brownoutMs = limitMs * policy.brownoutFraction;
  if (liveFinishMs > brownoutMs) return overloaded(liveFinishMs - brownoutMs);
  const freeFinishMs = facts.wait.freeMs === 0 ? 0 : facts.wait.freeMs + facts.ownMs;
  return facts.tier === "free" && freeFinishMs > brownoutMs ? overloaded(freeFinishMs - brownoutMs) : null;
}

function overloaded(excessMs: number): ServiceError {
  const retryAfterMs = Math.round(Math.min(LONGEST_RETRY_MS, Math.max(SHORTEST_RETRY_MS, excessMs)));
  return new ServiceError("overloaded", { retryAfterMs });
}
