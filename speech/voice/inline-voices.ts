import { ServiceError } from "#protocol/errors";
import type { VoiceTraits } from "#protocol/speech/chunk";
import type { ReferenceAudio } from "#protocol/speech/request";
import { sha256Hex } from "#common/identifier";

/** Measures one sample; `measureVoiceSample` of audio/voice. */
export type MeasureSample = (bytes: Uint8Array) => Promise<{ traits: VoiceTraits }>;
export type CombineTraits = (list: VoiceTraits[]) => VoiceTraits;

const MAX_CACHED = 256;

/**
 * Voices that come with a request as samples. Measuring is work for a thread: the result is kept, because clients send
 * the same sample each time.
 */
export class InlineVoices {
  readonly #measure: MeasureSample;
  readonly #combine: CombineTraits;
  readonly #cached = new Map<string, VoiceTraits>();

  constructor(measure: MeasureSample, combine: CombineTraits) {
    this.#measure = measure;
    this.#combine = combine;
  }

  /** The traits of the one speaker of all samples. Throws `bad_reference_audio`. */
  async traitsOf(samples: ReferenceAudio[]): Promise<VoiceTraits> {
    if (samples.length === 0)
      throw new ServiceError("bad_reference_audio", { parameters: { detail: "a speaker has no samples" } });
    return this.#combine(await Promise.all(samples.map((sample) => this.#traitsOfSample(sample.audio))));
  }

  async #traitsOfSample(audio: Uint8Array): Promise<VoiceTraits> {
    const digest = sha256Hex(audio);
    const kept = this.#cached.get(digest);
    if (kept !== undefined) return kept;
    const { traits } = await this.#measure(audio);
    const oldest = this.#cached.keys().next();
    if (this.#cached.size >= MAX_CACHED && oldest.done === false) this.#cached.delete(oldest.value);
    this.#cached.set(digest, traits);
    return traits;
  }
}
