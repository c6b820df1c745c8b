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
  /** When the listener runs out of sound, on the scheduler's clock. */
  deadlineMs: number;
  /** When it must start at the latest to be done by then: what the order goes by. Changes only while the chunk stands in no line. */
  startByMs: number;
  /** Order of arrival; unique. */
  readonly sequence: number;
  /** Where it stands in line; null while an earlier chunk of its stream stands there. */
  place: { lane: Lane; entry: HeapEntry<WaitingChunk> } | null;
}

/** Turns a submission into a waiting chunk, slack into a deadline. Slack that is no number counts as none. `serviceMs` is its predicted time. */
export function waitingChunk(submit: Submit, options: { sequence: number; serviceMs: number; nowMs: number }): WaitingChunk {
  const { sequence, serviceMs, nowMs } = options;
  const slackMs = Number.isNaN(submit.slackMs) ? 0 : Math.min(MOST_SLACK_MS, Math.max(-MOST_LATE_MS, submit.slackMs));
  return {
    chunk: submit.chunk,
    tier: submit.tier,
    characters: submit.chunk.text.length,
    submittedAtMs: nowMs,
    deadlineMs: nowMs + slackMs,
    startByMs: nowMs + slackMs - serviceMs,
    sequence,
    place: null,
  };
}

/** Sound in one character of text, at most one and a half times faster than people speak: an estimate that errs towards urgency. */
const PLAY_MS_PER_CHARACTER = 40;

/** Puts a chunk's deadline off to the moment when its listener can have heard `previous` at the earliest: it is not needed before. */
export function followAfter(next: WaitingChunk, previous: WaitingChunk): void {
  const rate = previous.chunk.voice.speed * previous.chunk.delivery.rateFactor;
  const heardAtMs = previous.deadlineMs + (previous.characters * PLAY_MS_PER_CHARACTER) / Math.max(1, rate);
  const laterMs = Math.max(0, heardAtMs - next.deadlineMs);
  next.deadlineMs += laterMs;
  next.startByMs += laterMs;
}

/** Earliest necessary start first; among equals, first come, first served. */
export function comesBefore(a: WaitingChunk, b: WaitingChunk): boolean {
  return a.startByMs === b.startByMs ? a.sequence < b.sequence : a.startByMs < b.startByMs;
}
