import type { ServedModel } from "#protocol/bus/membership";
import type { ServiceTier } from "#protocol/bus/scheduling";
import type { HeardWord, SoundTask } from "#protocol/transcription/chunk";

/** What stays the same over the life of a stream of sound. */
export interface SoundStreamSettings {
  streamId: string;
  task: SoundTask;
  /** Name of the model folder that hears it. */
  model: string;
  /** `bulk` for files, `live` where somebody waits for the words. */
  tier: ServiceTier;
  /** BCP-47 language that the caller named, or null. */
  language: string | null;
  /** W3C trace context of the request, or null. */
  traceparent: string | null;
}

/** What came of one piece; times count from its first sample. */
export type HeardPiece =
  | { task: "listen"; words: HeardWord[]; language: string }
  /** How likely speech is, per `DETECTION_STEP_MS`: 0 (none) to 255 (certain). */
  | { task: "detect"; speech: Uint8Array };

/** Sound on its way to being heard, piece by piece. */
export interface SoundStream {
  /**
   * Hears one piece: 1 sample to `MAX_SOUND_SECONDS` at `LISTENING_RATE`. The samples must not change until the promise
   * settles. Pieces of a stream may be out at once; they are heard in any order and survive the death of workers,
   * schedulers and the bus. `slackMs` is how soon the result is wanted. Rejects with a `ServiceError`: `overloaded` or
   * `draining` when the stream's first piece is refused (the whole stream is then over), `no_worker`, `hearing_failed`
   * after three failed attempts, `engine_failed`. An aborted signal rejects with its reason and cancels the piece
   * everywhere. After `close` it rejects with an `AbortError`.
   */
  hear(samples: Int16Array, options: { slackMs: number; signal?: AbortSignal }): Promise<HeardPiece>;
  /** Cancels what is still out, in every role. Harmless when repeated. */
  close(): void;
}

/** A role's end of the listening path: one per process. */
export interface SoundBus {
  /** `streamId` must be unique in the cluster. */
  open(settings: SoundStreamSettings): SoundStream;
  /** What ready workers serve for a task, each model once: for choosing by language. */
  served(task: SoundTask): ServedModel[];
  /** Pieces that are not over. */
  readonly activePieces: number;
  /** Closes all streams and stops listening. */
  close(): void;
}
