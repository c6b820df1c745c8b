import type { SpeechRequest } from "#protocol/speech/request";
import type { ChunkEvent } from "#speech/output/output";
import { AUDIO_TOKENS_PER_SECOND } from "../../speech/plan.js";

/**
 * Counts what was spoken in OpenAI's tokens: a character of text is one, a second of audio is
 * `AUDIO_TOKENS_PER_SECOND`.
 */
export class SpokenUsage {
  readonly inputTokens: number;
  #seconds = 0;

  constructor(request: Pick<SpeechRequest, "text">) {
    this.inputTokens = request.text.length;
  }

  /** Takes the events of a spoken request, in order. */
  take(event: ChunkEvent, sampleRate: number): void {
    if (event.type === "chunk-ended") this.#seconds += event.samples / sampleRate;
  }

  get outputTokens(): number {
    return Math.round(this.#seconds * AUDIO_TOKENS_PER_SECOND);
  }
}
