/** Samples a second that every recognizer and voice activity detector takes; the owner resamples the audio first. */
export const RECOGNITION_RATE = 16_000;

/** Longest piece of audio in one chunk: 960,000 bytes of samples, below the bus limit of one message. */
export const MAX_AUDIO_SECONDS = 30;

/** Spacing of a detector's answers. */
export const DETECTION_STEP_MS = 10;

/**
 * How much audio before and after its own step a detector's answer may depend on. Windows of a long audio that overlap
 * by both, and start at a whole step, give the answers of the whole: `transcription/segmentation/vad-windows.ts` cuts
 * them.
 */
export const DETECTION_CONTEXT_MS = { past: 600, future: 270 } as const;

/** `transcribe`: which words are in the audio. `vad`: where in it someone speaks. */
export type RecognitionTask = "transcribe" | "vad";

/**
 * A segment of audio: the unit that is queued, batched, recognized and, if need be, recognized again. It carries no
 * samples: the worker that runs it asks the chunk's owner for them (`ownerAudioRequestSubject`), so that audio never
 * goes through a scheduler. Equal samples give equal results, alone or in a batch, on every worker.
 */
export interface AudioChunk {
  task: RecognitionTask;
  streamId: string;
  /** Position in the stream, from 0. */
  chunkIndex: number;
  /** 1 for the first try; each resubmission adds one. */
  attempt: number;
  /** The role that holds the samples and waits for the result (an edge; later an agent too). */
  ownerId: string;
  /** Name of the model folder that recognizes it. */
  model: string;
  /** Length in samples at `RECOGNITION_RATE`, at most `MAX_AUDIO_SECONDS`. */
  samples: number;
  /** BCP-47 language that the caller named, or null. */
  language: string | null;
  /** Words that the caller expects, as they are written; absent where he named none. */
  keyterms?: readonly string[];
  /** W3C trace context of the request, or null. */
  traceparent: string | null;
}

/** A recognized word; times count from the chunk's first sample. */
export interface RecognizedWord {
  text: string;
  startMs: number;
  endMs: number;
  /** 0 to 1: how sure the recognizer is. */
  confidence: number;
}
