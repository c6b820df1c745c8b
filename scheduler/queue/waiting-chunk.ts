import type { HeapEntry } from "#common/heap";
import { type ServiceTier, type Submit, type WorkChunk, workSize } from "#protocol/bus/scheduling";
import { RECOGNITION_RATE } from "#protocol/transcription/chunk";
import type { Lane } from "./lane.js";

/** Nobody is more than this late, or has more than this in hand, as far as the order is concerned. */
const MOST_LATE_MS = 5000;
const MOST_SLACK_MS = 3_600_000;

/** A chunk in the queue. */
export interface WaitingChunk {
  readonly chunk: WorkChunk;
  readonly tier: ServiceTier;
  /** `workSize` of the chunk. */
  readonly size: number;
  readonly submittedAtMs: number;
  /** When the player runs out of audio, on the scheduler's clock. */
  deadlineMs: number;
  /**
   * When it must start at the latest to be done by then: what the order goes by. Changes only while the chunk stands in
   * no line.
   */
  startByMs: number;
  /** Order of arrival; unique. */
  readonly sequence: number;
  /** Where it stands in line; null while an earlier chunk of its stream stands there. */
  place: { lane: Lane; entry: HeapEntry<WaitingChunk> } | null;
}

/**
 * Turns a submission into a waiting chunk, slack into a deadline. Slack that is no number counts as none. `serviceMs`
 * is its predicted time.
 */
export function waitingChunk(
  submit: Submit,
  options: { sequence: number; serviceMs: number; nowMs: number },
): WaitingChunk {
  const { sequence, serviceMs, nowMs } = options;
  const slackMs = Number.isNaN(submit.slackMs) ? 0 : Math.min(MOST_SLACK_MS, Math.max(-MOST_LATE_MS, submit.slackMs));
  return {
    chunk: submit.chunk,
    tier: submit.tier,
    size: workSize(submit.chunk),
    submittedAtMs: nowMs,
    deadlineMs: nowMs + slackMs,
    startByMs: nowMs + slackMs - serviceMs,
    sequence,
    place: null,
  };
}

/**
 * Audio in one character of text, at most one and a half times faster than people speak: an estimate that errs towards
 * urgency.
 */
const PLAY_MS_PER_CHARACTER = 40;

/**
 * Puts a chunk's deadline off because `previous` of its stream has gone before it. Speech: to the moment when the
 * player can be through with `previous` at the earliest; it is not needed before. Recorded audio: by the audio's own
 * length, so that of several recordings each comes along as fast as it was spoken, however many pieces the others have
 * handed in, and a short one overtakes a long one. Live audio waits for nothing: what was said is to be read now.
 */
export function followAfter(next: WaitingChunk, previous: WaitingChunk): void {
  if (previous.chunk.task !== "speak" && previous.tier === "live") return;
  const laterMs = Math.max(0, previous.deadlineMs + audioMs(previous.chunk) - next.deadlineMs);
  next.deadlineMs += laterMs;
  next.startByMs += laterMs;
}

function audioMs(chunk: WorkChunk): number {
  if (chunk.task !== "speak") return (chunk.samples / RECOGNITION_RATE) * 1000;
  return (chunk.text.length * PLAY_MS_PER_CHARACTER) / Math.max(1, chunk.voice.speed * chunk.delivery.rateFactor);
}

/** Earliest necessary start first; among equals, first come, first served. */
export function comesBefore(a: WaitingChunk, b: WaitingChunk): boolean {
  return a.startByMs === b.startByMs ? a.sequence < b.sequence : a.startByMs < b.startByMs;
}
