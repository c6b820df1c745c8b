import { ServiceError } from "#protocol/errors";
import type { VoiceTraits } from "#protocol/speech/chunk";
import type { ReferenceAudio } from "#protocol/speech/request";
import { bytesToSamples } from "#audio/pcm";
import { joinPrompts } from "#audio/voice/prompt";
import { sha256Hex } from "#common/identifier";

/** Measures one sample and gives its beginning; `measureVoiceSample` of audio/voice. */
export type MeasureSample = (bytes: Uint8Array) => Promise<{ traits: VoiceTraits; prompt?: Uint8Array }>;
export type CombineTraits = (list: VoiceTraits[]) => VoiceTraits;

/** Each has half a megabyte of audio at most. */
const MAX_CACHED = 64;

/** A speaker as his samples show him. */
export interface InlineVoice {
  traits: VoiceTraits;
  /** SHA-256 of the samples. */
  promptId: string;
  /** Mono at `PROMPT_RATE`. */
  prompt: Int16Array;
}

interface MeasuredVoice {
  digest: string;
  traits: VoiceTraits;
  prompt: Int16Array;
}

/**
 * Voices that come with a request as samples. Measuring is work for a thread: the result is kept, because clients send
 * the same sample each time.
 */
export class InlineVoices {
  readonly #measure: MeasureSample;
  readonly #combine: CombineTraits;
  readonly #cached = new Map<string, MeasuredVoice>();

  constructor(measure: MeasureSample, combine: CombineTraits) {
    this.#measure = measure;
    this.#combine = combine;
  }

  /** The one speaker of all samples. Throws `bad_reference_audio`. */
  async voiceOf(samples: ReferenceAudio[]): Promise<InlineVoice> {
    if (samples.length === 0)
      throw new ServiceError("bad_reference_audio", { parameters: { detail: "a speaker has no samples" } });
    const measured = await Promise.all(samples.map((sample) => this.#measured(sample.audio)));
    const [only] = measured;
    return {
      traits: this.#combine(measured.map(({ traits }) => traits)),
      promptId: sha256Hex(measured.map(({ digest }) => digest).join("\n")),
      // One sample's is not copied: streams and this cache share it.
      prompt:
        measured.length === 1 && only !== undefined ? only.prompt : joinPrompts(measured.map((one) => one.prompt)),
    };
  }

  async #measured(audio: Uint8Array): Promise<MeasuredVoice> {
    const digest = sha256Hex(audio);
    const kept = this.#cached.get(digest);
    if (kept !== undefined) return kept;
    const { traits, prompt } = await this.#measure(audio);
    const measured: MeasuredVoice = { digest, traits, prompt: bytesToSamples(prompt ?? new Uint8Array(0)) };
    const oldest = this.#cached.keys().next();
    if (this.#cached.size >= MAX_CACHED && oldest.done === false) this.#cached.delete(oldest.value);
    this.#cached.set(digest, measured);
    return measured;
  }
}
