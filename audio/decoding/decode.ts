import { ServiceError } from "#protocol/errors";
import { runDecoder } from "./decoder-pool.js";
import type { DecodedAudio } from "./mono-sink.js";

export type { DecodedAudio } from "./mono-sink.js";

export interface DecodeOptions {
  /** Longest audio allowed, in seconds of decoded audio. */
  maxSeconds: number;
  /** Largest file taken. */
  maxInputBytes?: number;
  /** Rate wanted, Hz; the file's own when absent. Converting while decoding keeps memory small. */
  sampleRate?: number;
  /** Stops the work and ends its thread. */
  signal?: AbortSignal;
}

/**
 * Decodes an audio file as a whole to mono samples on a decoder thread; `openAudio` is for what may be long. The format
 * is told by the content. Errors: `unsupported_format` (not audio, damaged, a codec that cannot be read; reason
 * `too_long` past `maxSeconds`, `ffmpeg_missing` where ffmpeg would read it), `payload_too_large` past `maxInputBytes`,
 * `overloaded` when too many files wait. An aborted `signal` rejects with an AbortError.
 */
export async function decodeAudio(bytes: Uint8Array, options: DecodeOptions): Promise<DecodedAudio> {
  const { maxSeconds, maxInputBytes = Number.POSITIVE_INFINITY, sampleRate = null, signal } = options;
  if (bytes.length > maxInputBytes)
    throw new ServiceError("payload_too_large", { parameters: { limitBytes: maxInputBytes } });
  // Copied: the caller keeps the file.
  const own = new Uint8Array(bytes);
  return runDecoder<DecodedAudio>(
    "decode",
    { bytes: own, bounds: { maxSeconds, sampleRate } },
    { maxSeconds, signal, transferList: [own.buffer] },
  );
}
