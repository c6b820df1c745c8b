import type { ErrorRecord } from "../errors.js";
import { RECOGNITION_RATE, type AudioChunk } from "../transcription/chunk.js";
import type { SpeechChunk } from "../speech/chunk.js";

/** Edge to scheduler: submissions and cancellations. */
export const schedulerSubject = (schedulerId: string): string => `parley.scheduler.${schedulerId}.submit`;

/** Worker to scheduler: completions. */
export const schedulerDoneSubject = (schedulerId: string): string => `parley.scheduler.${schedulerId}.done`;

/** Scheduler to worker: batches and cancellations. */
export const workerSubject = (workerId: string): string => `parley.worker.${workerId}.work`;

/** Scheduler to edge: verdicts about submitted chunks. */
export const ownerVerdictSubject = (ownerId: string): string => `parley.owner.${ownerId}.verdict`;

/** Who is served first when not everyone can be: paying live clients, the free model, work nobody waits for. */
export type ServiceTier = "live" | "free" | "bulk";

/** What schedulers order and workers work on: text to speak or audio to recognize; `task` tells which. */
export type WorkChunk = SpeechChunk | AudioChunk;

/**
 * How much work a chunk is, in a unit that only chunks of the same model share: characters of text, or hundredths of a
 * second of audio.
 */
export function workSize(chunk: WorkChunk): number {
  return chunk.task === "speak" ? chunk.text.length : Math.ceil((chunk.samples * 100) / RECOGNITION_RATE);
}

/**
 * A chunk handed to a scheduler. The scheduler keeps the relative times with its own clock: no clock is shared between
 * machines.
 */
export interface Submit {
  type: "submit";
  chunk: WorkChunk;
  tier: ServiceTier;
  /** Part of a conversation, which was admitted as a whole: it is not refused because much is to be done. */
  isAdmitted?: boolean;
  /**
   * Longest time to its first audio for which a new stream is taken, where that is less than the scheduler's own limit:
   * somebody listens, who had better be refused at once.
   */
  mostWaitMs?: number;
  /**
   * How long until the player runs out of audio; for a first chunk, until the first-audio goal is missed; for audio,
   * until its words are wanted. May be negative.
   */
  slackMs: number;
  /** Whose stream it is: where there is no room for all, teams share what there is. */
  teamId?: string;
  /** What is known of the stream's text behind this chunk; for speech alone, and nothing is known when absent. */
  following?: FollowingText;
}

/** A stream's text that no scheduler has been given yet. */
export interface FollowingText {
  /** Its characters. */
  size: number;
  /** No more text comes after it. */
  isAll: boolean;
}

/** No more text comes for a stream than its last submission told of. */
export interface TextEnded {
  type: "text-ended";
  streamId: string;
}

/** Drops a stream's queued chunks and stops its running ones, from a chunk index on. */
export interface Cancel {
  type: "cancel";
  streamId: string;
  fromChunk: number;
  /** The last index that is dropped; all later ones are too when absent. */
  toChunk?: number;
}

export type SchedulerInbound = Submit | TextEnded | Cancel;

/** Work for one engine call. All chunks have the same model. */
export interface Batch {
  type: "batch";
  batchId: string;
  schedulerId: string;
  model: string;
  /** Set when it goes to a slot that is reserved for speech that somebody waits for now. */
  reserved?: boolean;
  /** The chunks, each with the microseconds that it waited in the scheduler. */
  chunks: { chunk: WorkChunk; queuedUs: number }[];
}

export type WorkerInbound = Batch | Cancel;

/** What became of one chunk of a batch. */
export interface ChunkOutcome {
  streamId: string;
  chunkIndex: number;
  attempt: number;
  result: "spoken" | "recognized" | "failed" | "cancelled";
  /** `workSize` of the chunk. */
  size: number;
  engineUs: number;
  /** Audio made, in samples of the model's rate, or recognized, in samples of `RECOGNITION_RATE`. */
  samples: number;
}

/** Worker to scheduler: the batch is over and its slot is free again. Sent once per batch, whatever happened. */
export interface BatchDone {
  type: "done";
  workerId: string;
  epoch: string;
  batchId: string;
  model: string;
  outcomes: ChunkOutcome[];
}

/** Scheduler to edge. `refused`: not taken, nothing was done. `lost`: its worker died or lost it; submit it again. */
export type Verdict =
  | { type: "refused"; streamId: string; chunkIndex: number; attempt: number; error: ErrorRecord }
  | { type: "lost"; streamId: string; chunkIndex: number; attempt: number };
