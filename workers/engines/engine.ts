import type { ServedModel } from "#protocol/bus/membership";
import type { SpeechChunk, WordTiming } from "#protocol/speech/chunk";

/** Consecutive samples of one chunk, and the words whose timing became known with them. */
export interface SpeechOutput {
  /** Signed 16-bit mono at the model's rate; may be empty. The receiver owns the memory. */
  samples: Int16Array;
  words: WordTiming[];
}

/** A chunk to speak. */
export interface ChunkJob {
  chunk: SpeechChunk;
  /**
   * Called in order, as early as there is audio; never after the chunk's result is known, never after `signal` aborts.
   */
  emit: (piece: SpeechOutput) => void;
  /** Aborting it ends the chunk as soon as the engine can; its result is then `cancelled`. */
  signal: AbortSignal;
  /**
   * Fetches the recording that `chunk.voice.prompt` names: mono at `PROMPT_RATE`. Absent where the chunk names none;
   * rejects with the error to give.
   */
  prompt?: () => Promise<Int16Array>;
  /** Whether it goes on a thread that is reserved for speech that somebody waits for now, where the engine has one. */
  reserved?: boolean;
}

/** What became of one job. A failure is data: one bad chunk never fails its batch. */
export type ChunkResult =
  | { result: "spoken"; samples: number }
  | { result: "cancelled" }
  | { result: "failed"; error: unknown; retryable: boolean };

/**
 * A loaded voice model. One contract (`testing/`): chunks with equal text, voice, delivery, sampling, seed and index give
 * equal samples, alone, repeated, after other texts and in a batch; words are in order, inside the audio, and name
 * ranges of the source text. A model that draws takes `sampling` as it is and every random number from the seed; one
 * that draws nothing varies what it can (`sampling.ts`).
 */
export interface SpeechEngine {
  /** What heartbeats say about the model. */
  describe(): ServedModel;
  /** Makes the first real chunk as fast as later ones. */
  warmUp(): Promise<void>;
  /** Speaks one batch (at most `maxBatch` jobs); results in the order of the jobs. Never rejects. */
  speak(jobs: ChunkJob[]): Promise<ChunkResult[]>;
  /** Frees processes, threads and memory; jobs still running fail as retryable. */
  close(): Promise<void>;
}
