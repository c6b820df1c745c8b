import { ServiceError } from "#protocol/errors";
import type { VoiceTraits } from "#protocol/speech/chunk";
import { decodeBytes } from "../decoding/decode-bytes.js";
import type { DecodedAudio } from "../decoding/mono-sink.js";
import { MAX_REFERENCE_SECONDS, MIN_REFERENCE_SECONDS } from "./reference-limits.js";
import { measureVoice, unusable } from "./traits.js";

/** What a reference sample tells. */
export interface MeasuredSample {
  traits: VoiceTraits;
  durationMs: number;
}

/** Decodes and measures a reference sample on this thread; see `measureVoiceSample`, which runs it on another. */
export async function measureVoiceBytes(bytes: Uint8Array): Promise<MeasuredSample> {
  const { pcm } = await decodeReference(bytes);
  const seconds = pcm.samples.length / pcm.sampleRate;
  if (seconds < MIN_REFERENCE_SECONDS) throw unusable(`it is shorter than ${MIN_REFERENCE_SECONDS} second`);
  return { traits: measureVoice(pcm), durationMs: Math.round(seconds * 1000) };
}

async function decodeReference(bytes: Uint8Array): Promise<DecodedAudio> {
  try {
    return await decodeBytes(bytes, { maxSeconds: MAX_REFERENCE_SECONDS, sampleRate: null });
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== "unsupported_format") throw error;
    if (error.reason === "too_long") throw unusable(`it is longer than ${MAX_REFERENCE_SECONDS / 60} minutes`, error);
    throw unusable(String(error.parameters.detail), error);
  }
}
