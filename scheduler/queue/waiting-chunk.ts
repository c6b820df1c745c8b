import type { HeapEntry } from "#common/heap";
import type { ServiceTier, Submit } from "#protocol/bus/scheduling";
import type { SpeechChunk } from "#protocol/speech/chunk";
import type { Lane } from "./lane.js";

/** Nobody is more than this late, or has more than this in hand, as far as the order is concerned. */
const MOST_LATE_MS = 5000;
const MOST_SLACK_MS = 3_600_000;

/** A chunk in the queue. */
export interface WaitingChunk {
  readonly chunk: SpeechChunk;
  readonly tier: ServiceTier;
  readonly characters: number;
  readonly submittedAtMs: number;
  /** On the scheduler's clock. Changes only while the chunk stands in no line. */
  deadlineMs: number;
  /** Order of arrival; unique. */
  readonly sequence: number;
  /** Where it stands in line; null while an earlier chunk of its stream stands there. */
  place: { lane: Lane; entry: HeapEntry<WaitingChunk> } | null;
}

/** Turns a submission into a waiting chunk, slack into a deadline. Slack that is no number counts as none. */
export function waitingChunk(submit: Submit, sequence: number, nowMs: number): WaitingChunk {
  const slackMs = Number.isNaN(submit.slackMs) ? 0 : Math.min(MOST_SLACK_MS, Math.max(-MOST_LATE_MS, submit.slackMs));
  return {
    chunk: submit.chunk,
    tier: submit.tier,
    characters: submit.chunk.text.length,
    submittedAtMs: nowMs,
    deadlineMs: nowMs + slackMs,
    sequence,
    place: null,
  };
}

/** Sound in one character of text, at most one and a half times faster than people speak: an estimate that errs towards urgency. */
const PLAY_MS_PER_CHARACTER = 40;

/** When the listener of a chunk's stream will at the earliest have heard this chunk: the next one is not needed before. */
export function playedUntilMs(waiting: WaitingChunk): number {
  const rate = waiting.chunk.voice.speed * waiting.chunk.delivery.rateFactor;
  return waiting.deadlineMs + (waiting.characters * PLAY_MS_PER_CHARACTER) / Math.max(1, rate);
}

/** Earliest deadline first; among equals, first come, first served. */
export function comesBefore(a: WaitingChunk, b: WaitingChunk): boolean {
  return a.deadlineMs === b.deadlineMs ? a.sequence < b.sequence : a.deadlineMs < b.deadlineMs;
}
