import type { AudioChunk } from "#protocol/transcription/chunk";
import { Submission } from "#submission/submission";
import type { RecognitionOutput, RecognitionStreamSettings } from "./recognition-client.js";

/**
 * One chunk of a stream that is not over: its samples, for the worker that asks for them, and who waits for the result.
 */
export class ChunkWork extends Submission {
  readonly #context: { settings: RecognitionStreamSettings; ownerId: string };

  constructor(
    place: { chunkIndex: number; addedAtMs: number },
    readonly samples: Int16Array,
    /** When the caller wants the result. */
    readonly goalAtMs: number,
    readonly promise: { resolve: (result: RecognitionOutput) => void; reject: (reason: unknown) => void },
    context: { settings: RecognitionStreamSettings; ownerId: string },
  ) {
    super(place.chunkIndex, place.addedAtMs);
    this.#context = context;
  }

  override chunk(): AudioChunk {
    const { settings, ownerId } = this.#context;
    const { task, streamId, model, language, keyterms, traceparent } = settings;
    const { chunkIndex, attempt } = this;
    const samples = this.samples.length;
    const chunk = { task, streamId, chunkIndex, attempt, ownerId, model, samples, language, traceparent };
    return keyterms === undefined || keyterms.length === 0 ? chunk : { ...chunk, keyterms };
  }
}
