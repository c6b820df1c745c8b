import { runOnDecodeThread } from "../decoding/decode.js";
import type { MeasuredSample } from "./measure-bytes.js";
import { MAX_REFERENCE_SECONDS } from "./reference-limits.js";

/**
 * Decodes and measures a reference sample of a voice, wholly on a decode thread. Throws `bad_reference_audio` with a detail for people when it
 * is not audio, silent, shorter than a second, longer than five minutes, or holds no speech.
 */
export function measureVoiceSample(bytes: Uint8Array, signal?: AbortSignal): Promise<MeasuredSample> {
  return runOnDecodeThread<MeasuredSample>("measure", { bytes }, { maxSeconds: MAX_REFERENCE_SECONDS, signal });
}
