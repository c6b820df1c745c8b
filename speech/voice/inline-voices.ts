import { ServiceError } from "#protocol/errors";
import type { VoiceTraits } from "#protocol/speech/chunk";
import type { ReferenceAudio } from "#protocol/speech/request";
import { sha256Hex } from "#common/identifier";

/** Measures one sample; `measureVoiceSample` of audio/voice. */
export type MeasureSample = (bytes: Uint8Array) => Promise<{ traits: VoiceTraits }>;
export type CombineTraits = (list: VoiceTraits[]) => VoiceTraits;

const MAX_KEPT = 256;

/**
 * Voices that come with a request as samples. Measuring is work for a thread: the result is kept, because clients send
 * the same sample each time.
 */
export class InlineVoices {
  readonly #measure: MeasureSample;
  readonly #combine: CombineTraits;
  readonly #kept = new Map<string, VoiceTraits>();

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
    const kept = this.#kept.get(digest);
    if (kept !== undefined) return kept;
    const { traits } = await this.#measure(audio);
    const oldest = this.#kept.keys().next();
    if (this.#kept.size >= MAX_KEPT && oldest.done === false) this.#kept.delete(oldest.value);
    this.#kept.set(digest, traits);
    return traits;
  }
}
