import type { ServedModel } from "#protocol/bus/membership";
import type { ServiceTier } from "#protocol/bus/scheduling";
import type { RecognizedWord, RecognitionTask } from "#protocol/transcription/chunk";

/** What stays the same over the life of a stream of audio. */
export interface RecognitionStreamSettings {
  streamId: string;
  task: RecognitionTask;
  /** Name of the model folder that recognizes it. */
  model: string;
  /** `bulk` for files, `live` where somebody waits for the words. */
  tier: ServiceTier;
  /** BCP-47 language that the caller named, or null. */
  language: string | null;
  /** Words that the caller expects, as they are written; absent where he named none. */
  keyterms?: readonly string[];
  /** W3C trace context of the request, or null. */
  traceparent: string | null;
}

/** What came of one piece; times count from its first sample. */
export type RecognitionOutput =
  | { task: "transcribe"; words: RecognizedWord[]; language: string }
  /** How likely speech is, per `DETECTION_STEP_MS`: 0 (none) to 255 (certain). */
  | { task: "vad"; speech: Uint8Array };

/** Audio on its way to being recognized, piece by piece. */
export interface RecognitionStream {
  /**
   * Recognizes one piece: 1 sample to `MAX_AUDIO_SECONDS` at `RECOGNITION_RATE`. The samples must not change until the
   * promise settles. Pieces of a stream may be out at once; they are recognized in any order and survive the death of
   * workers, schedulers and the bus. `slackMs` is how soon the result is wanted. Rejects with a `ServiceError`:
   * `overloaded` or `draining` when the stream's first piece is refused (the whole stream is then over), `no_worker`,
   * `transcription_failed` after three failed attempts, `engine_failed`. An aborted signal rejects with its reason and
   * cancels the piece everywhere. After `close` it rejects with an `AbortError`.
   */
  recognize(samples: Int16Array, options: { slackMs: number; signal?: AbortSignal }): Promise<RecognitionOutput>;
  /** Cancels what is still out, in every role. Harmless when repeated. */
  close(): void;
}

/** A role's end of the recognition path: one per process. */
export interface RecognitionClient {
  /** `streamId` must be unique in the cluster. */
  open(settings: RecognitionStreamSettings): RecognitionStream;
  /** What ready workers serve for a task, each model once: for choosing by language. */
  served(task: RecognitionTask): ServedModel[];
  /** Pieces that are not over. */
  readonly activePieces: number;
  /** Closes all streams and stops listening. */
  close(): void;
}
