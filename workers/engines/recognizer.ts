import type { ServedModel } from "#protocol/bus/membership";
import type { HeardWord, SoundChunk } from "#protocol/transcription/chunk";

/** A piece of sound to hear. */
export interface SoundJob {
  chunk: SoundChunk;
  /** Mono at `LISTENING_RATE`; `chunk.samples` of them. Engines do not change them. */
  samples: Int16Array;
  /** Aborting it ends the job as soon as the engine can; its result is then `cancelled`. */
  signal: AbortSignal;
}

/**
 * What became of one job. A failure is data: one bad piece never fails its batch. `speech` is per `DETECTION_STEP_MS`,
 * 0 to 255.
 */
export type SoundResult =
  | { result: "heard"; words: HeardWord[]; language: string }
  | { result: "detected"; speech: Uint8Array }
  | { result: "cancelled" }
  | { result: "failed"; error: unknown; retryable: boolean };

/**
 * A loaded recognizer (task `listen`) or speech detector (task `detect`). One contract (`conformance/`): equal samples
 * give equal results alone, repeated, after other sound and in a batch; words are in order and inside the sound;
 * silence and noise give no words.
 */
export interface ListenEngine {
  /** What heartbeats say about the model. */
  describe(): ServedModel;
  /** Makes the first real piece as fast as later ones. */
  warmUp(): Promise<void>;
  /** Hears one batch (at most `maxBatch` jobs); results in the order of the jobs. Never rejects. */
  hear(jobs: SoundJob[]): Promise<SoundResult[]>;
  /** Frees threads and memory; jobs still running fail as retryable. */
  close(): Promise<void>;
}
