import type { HeardWord } from "../transcription/chunk.js";
import type { ChunkFailed } from "./audio.js";

/** Worker to the owner of a sound chunk: a request for its samples. Asked again for every attempt. */
export const ownerSoundSubject = (edgeId: string): string => `parley.edge.${edgeId}.sound`;

/** Worker to the owner of a sound chunk: what was heard (`OwnerHeardInbound`). */
export const ownerHeardSubject = (edgeId: string): string => `parley.edge.${edgeId}.heard`;

/** Asks for the samples of a chunk. */
export interface SoundRequest {
  type: "sound-request";
  streamId: string;
  chunkIndex: number;
}

/**
 * Answers a `SoundRequest`: signed 16-bit little-endian mono at `LISTENING_RATE`, or `gone` when nobody waits for the
 * chunk any more.
 */
export type SoundReply = { type: "sound"; pcm: Uint8Array } | { type: "gone" };

interface ResultBase {
  streamId: string;
  chunkIndex: number;
  attempt: number;
  workerId: string;
  /** Where the chunk's time went. */
  timing: { queuedUs: number; engineUs: number };
}

/** The words of a chunk, in order. No words is a result too: nobody spoke. */
export interface HeardChunk extends ResultBase {
  type: "heard";
  /** BCP-47 language of the words. */
  language: string;
  words: HeardWord[];
}

/** How likely speech is in each `DETECTION_STEP_MS` of a chunk: 0 (none) to 255 (certain). */
export interface DetectedChunk extends ResultBase {
  type: "detected";
  speech: Uint8Array;
}

export type OwnerHeardInbound = HeardChunk | DetectedChunk | ChunkFailed;
