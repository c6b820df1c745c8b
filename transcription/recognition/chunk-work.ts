import type { AudioChunk } from "#protocol/transcription/chunk";
import { Attempts } from "#submission/attempts";
import type { RecognitionStreamSettings } from "./recognition-client.js";

/** One piece of a stream that is not over. */
export class RecognitionWork extends Attempts {
  /** How often a silent scheduler was asked again about this attempt. */
  asked = 0;
  submittedAtMs = 0;

  constructor(
    readonly chunkIndex: number,
    readonly samples: number,
    readonly addedAtMs: number,
    /** When its result is wanted. */
    readonly wantedAtMs: number,
  ) {
    super();
  }

  /** The chunk as it is submitted now. */
  chunk({ streamId, task, model, language, traceparent }: RecognitionStreamSettings, ownerId: string): AudioChunk {
    const { chunkIndex, attempt, samples } = this;
    return { task, streamId, chunkIndex, attempt, ownerId: ownerId, model, samples, language, traceparent };
  }
}
