import type { ErrorRecord } from "../errors.js";
import type { WordTiming } from "../speech/chunk.js";

/** Worker to edge, past the scheduler: the audio of the streams that this edge owns. */
export const ownerAudioSubject = (ownerId: string): string => `parley.owner.${ownerId}.audio`;

/** A worker sends frames of at most this much audio, so that no message nears the bus limit. */
export const MAX_FRAME_MS = 1000;

/** Samples of one chunk, in order. A chunk's audio is the concatenation of its frames up to the one marked `last`. */
export interface AudioFrame {
  type: "audio";
  streamId: string;
  chunkIndex: number;
  attempt: number;
  workerId: string;
  /** Index of the frame's first sample in the chunk; equal indices carry equal samples in every attempt. */
  firstSample: number;
  sampleRate: number;
  /** Signed 16-bit little-endian mono. */
  pcm: Uint8Array;
  /** Words whose timing became known with this frame. */
  words: WordTiming[];
  last: boolean;
  /** On a chunk's first frame only: where its time went. */
  timing: { queuedUs: number; engineUs: number } | null;
}

/** The chunk will not be completed by this attempt. */
export interface ChunkFailed {
  type: "failed";
  streamId: string;
  chunkIndex: number;
  attempt: number;
  error: ErrorRecord;
  /** True when another attempt may succeed. */
  retryable: boolean;
}

export type EdgeAudioInbound = AudioFrame | ChunkFailed;
