import type { VoiceEmbedding } from "./generation.js";

/** A recording of ten seconds is half a megabyte as the model knows it. */
const MOST_VOICES = 64;

/** Recordings as the model knows them, so that each is fetched and encoded once while it is in use. */
export class VoiceCache {
  readonly #voices = new Map<string, Promise<VoiceEmbedding>>();

  /** The voice of this key; `make` is called when it is not known. What fails is not kept. */
  get(key: string, make: () => Promise<VoiceEmbedding>): Promise<VoiceEmbedding> {
    const voice = this.#voices.get(key) ?? make();
    // The latest stand last: the first is the one that was not used for the longest time.
    this.#voices.delete(key);
    this.#voices.set(key, voice);
    voice.catch(() => {
      if (this.#voices.get(key) === voice) this.#voices.delete(key);
    });
    const oldest = this.#voices.keys().next();
    if (this.#voices.size > MOST_VOICES && oldest.done === false) this.#voices.delete(oldest.value);
    return voice;
  }
}
