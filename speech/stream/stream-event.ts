import type { ServiceError } from "#protocol/errors";
import type { WordTiming } from "#protocol/speech/chunk";

/** What a stream emits, in order. After `ended` or `failed` nothing follows. */
export type StreamEvent =
  /** The audio of a chunk begins. `offsetSamples` counts from the stream's start. */
  | { type: "chunk-started"; chunkIndex: number; text: string; sampleRate: number; offsetSamples: number }
  /** The receiver owns `samples`. */
  | { type: "samples"; chunkIndex: number; samples: Int16Array; sampleRate: number }
  /** Words of the chunk whose timing became known; times count from the chunk's start. */
  | { type: "words"; chunkIndex: number; words: WordTiming[] }
  | { type: "chunk-ended"; chunkIndex: number; samples: number }
  /** Everything that was added before the call of `mark` has been given. */
  | { type: "marked" }
  /** Where the time of the stream's first chunk went, up to its first frame's arrival. */
  | { type: "first-frame"; queuedUs: number; engineUs: number; roundTripMs: number }
  /** The player is about to run dry, and nothing is left to speak: text that is held back for a longer piece is due. */
  | { type: "text-wanted" }
  | { type: "ended" }
  | { type: "failed"; error: ServiceError };
