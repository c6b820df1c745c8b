import type { ServedModel } from "#protocol/bus/membership";
import type { RecognizedWord, AudioChunk } from "#protocol/transcription/chunk";

/** A piece of audio to recognize. */
export interface RecognitionJob {
  chunk: AudioChunk;
  /** Mono at `RECOGNITION_RATE`; `chunk.samples` of them. Engines do not change them. */
  samples: Int16Array;
  /** Aborting it ends the job as soon as the engine can; its result is then `cancelled`. */
  signal: AbortSignal;
}

/**
 * What became of one job. A failure is data: one bad piece never fails its batch. `speech` is per `DETECTION_STEP_MS`,
 * 0 to 255.
 */
export type RecognitionResult =
  | { result: "recognized"; words: RecognizedWord[]; language: string }
  | { result: "vad"; speech: Uint8Array }
  | { result: "cancelled" }
  | { result: "failed"; error: unknown; retryable: boolean };

/**
 * A loaded recognizer (task `listen`) or speech detector (task `detect`). One contract (`testing/`): equal samples
 * give equal results alone, repeated, after other audio and in a batch; words are in order and inside the audio;
 * silence and noise give no words.
 */
export interface Recognizer {
  /** What heartbeats say about the model. */
  describe(): ServedModel;
  /** Makes the first real piece as fast as later ones. */
  warmUp(): Promise<void>;
  /** Recognizes one batch (at most `maxBatch` jobs); results in the order of the jobs. Never rejects. */
  recognize(jobs: RecognitionJob[]): Promise<RecognitionResult[]>;
  /** Frees threads and memory; jobs still running fail as retryable. */
  close(): Promise<void>;
}
