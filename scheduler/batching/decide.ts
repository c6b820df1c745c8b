/**
 * The batching decision: which of the waiting chunks go into the next engine call. Pure; the caller has a free slot in
 * hand.
 *
 * The quantities:
 *  - candidate: a waiting chunk that may go now, in service order; the first one is served whatever else happens.
 *  - batch: the chunks of one engine call. Its time depends on how many they are and on the longest of them (shorter
 *    ones are padded).
 *  - bucket: chunks of about equal length; only chunks of the head's bucket join it.
 *  - deadline: when the player of the chunk's stream runs out of audio.
 *  - predicted p95: the time that 95 of 100 such engine calls stay below, from the measured latency model.
 *  - wait: how long free capacity holds back for company. 0 by default: free capacity never waits.
 */
import { lengthBucket } from "./length-bucket.js";

export interface Candidate {
  id: number;
  size: number;
  deadlineMs: number;
  /** Since the chunk was submitted: a delay counts from the first request, not from the last batch. */
  waitedUs: number;
}

export interface QueueView {
  candidates: readonly Candidate[];
}

export interface BatchPolicy {
  /** Most chunks one call takes, at least 1. */
  maxBatch: number;
  /** Longest wait for company, from the oldest candidate's submission. */
  maxWaitUs: number;
  /** Predicted p95 time of a call, in milliseconds. */
  predictP95Ms: (batchSize: number, longestSize: number) => number;
}

export type Decision = { dispatch: number[] } | { waitUs: number };

/**
 * Gives the largest batch of the head's bucket whose predicted p95 finish meets the earliest deadline in it.
 * A chunk that would be late even alone sets no bound: the fullest batch is then the quickest way out.
 * `waitUs` is Infinity when nothing waits.
 */
export function decide(view: QueueView, nowMs: number, policy: BatchPolicy): Decision {
  const head = view.candidates[0];
  if (head === undefined) return { waitUs: Number.POSITIVE_INFINITY };
  if (policy.maxBatch <= 1) return { dispatch: [head.id] };

  const bucket = lengthBucket(head.size);
  const batch = [head.id];
  let longest = head.size;
  let boundMs = boundOf(head, nowMs, policy);
  for (const candidate of view.candidates.slice(1)) {
    if (batch.length >= policy.maxBatch) break;
    if (lengthBucket(candidate.size) !== bucket) continue;
    const nextLongest = Math.max(longest, candidate.size);
    const nextBoundMs = Math.min(boundMs, boundOf(candidate, nowMs, policy));
    if (nowMs + policy.predictP95Ms(batch.length + 1, nextLongest) > nextBoundMs) continue;
    batch.push(candidate.id);
    longest = nextLongest;
    boundMs = nextBoundMs;
  }

  const waitUs = worthwhileWaitUs({ view, nowMs, policy, batchSize: batch.length, longest, boundMs });
  return waitUs > 0 ? { waitUs } : { dispatch: batch };
}

/** When a chunk must be done; no bound when even a call of its own would miss that. */
function boundOf(candidate: Candidate, nowMs: number, policy: BatchPolicy): number {
  const reachable = nowMs + policy.predictP95Ms(1, candidate.size) <= candidate.deadlineMs;
  return reachable ? candidate.deadlineMs : Number.POSITIVE_INFINITY;
}

/**
 * How long to wait for one more chunk: never past a deadline, and only when sharing the call saves more than the wait
 * costs.
 */
function worthwhileWaitUs(state: {
  view: QueueView;
  nowMs: number;
  policy: BatchPolicy;
  batchSize: number;
  longest: number;
  boundMs: number;
}): number {
  const { view, nowMs, policy, batchSize, longest, boundMs } = state;
  if (policy.maxWaitUs <= 0 || batchSize >= policy.maxBatch) return 0;
  const oldestUs = view.candidates.reduce((oldest, candidate) => Math.max(oldest, candidate.waitedUs), 0);
  const largerMs = policy.predictP95Ms(batchSize + 1, longest);
  const untilDeadlineUs = (boundMs - nowMs - largerMs) * 1000;
  const waitUs = Math.min(policy.maxWaitUs - oldestUs, untilDeadlineUs);
  const savedUs = (policy.predictP95Ms(batchSize, longest) + policy.predictP95Ms(1, longest) - largerMs) * 1000;
  return savedUs > waitUs * batchSize ? waitUs : 0;
}
