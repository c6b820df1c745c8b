import type { MeasuredSample } from "#protocol/bus/samples";
import { runDecoder } from "../decoding/decoder-pool.js";
import { MAX_REFERENCE_SECONDS } from "./reference-limits.js";

/**
 * Decodes and measures a reference sample of a voice, wholly on a decoder thread. Throws `bad_reference_audio` with a
 * detail for people when it is not audio, silent, shorter than a second, longer than five minutes, or holds no speech.
 */
export function measureVoiceSample(bytes: Uint8Array, signal?: AbortSignal): Promise<MeasuredSample> {
  // Copied: the caller keeps the sample, and a view would take all along to the thread that it is part of.
  const own = new Uint8Array(bytes);
  return runDecoder<MeasuredSample>(
    "measure",
    { bytes: own },
    { maxSeconds: MAX_REFERENCE_SECONDS, signal, transferList: [own.buffer] },
  );
}
