import type { RecognizedWord } from "../transcription/chunk.js";
import type { ChunkFailed } from "./audio.js";

/** Worker to the owner of an audio chunk: a request for its samples. Asked again for every attempt. */
export const ownerAudioRequestSubject = (ownerId: string): string => `parley.owner.${ownerId}.audio-requests`;

/** Worker to the owner of an audio chunk: what was recognized (`OwnerRecognitionInbound`). */
export const ownerRecognitionSubject = (ownerId: string): string => `parley.owner.${ownerId}.recognized`;

/** Asks for the samples of a chunk. */
export interface AudioRequest {
  type: "audio-request";
  streamId: string;
  chunkIndex: number;
}

/**
 * Answers an `AudioRequest`: signed 16-bit little-endian mono at `RECOGNITION_RATE`, or `gone` when nobody waits for
 * the chunk any more.
 */
export type AudioReply = { type: "audio"; pcm: Uint8Array } | { type: "gone" };

interface ResultBase {
  streamId: string;
  chunkIndex: number;
  attempt: number;
  workerId: string;
  /** Where the chunk's time went. */
  timing: { queuedUs: number; engineUs: number };
}

/** The words of a chunk, in order. No words is a result too: nobody spoke. */
export interface RecognizedChunk extends ResultBase {
  type: "recognized";
  /** BCP-47 language of the words. */
  language: string;
  words: RecognizedWord[];
}

/** How likely speech is in each `DETECTION_STEP_MS` of a chunk: 0 (none) to 255 (certain). */
export interface VadChunk extends ResultBase {
  type: "vad";
  speech: Uint8Array;
}

export type OwnerRecognitionInbound = RecognizedChunk | VadChunk | ChunkFailed;
