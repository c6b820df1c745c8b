import { FLACDecoder } from "@wasm-audio-decoders/flac";
import type { MonoSink } from "./mono-sink.js";
import { decodeStreaming } from "./streaming-decoder.js";

/** Decodes FLAC, native or in Ogg. */
export function decodeFlac(bytes: Uint8Array, sink: MonoSink): Promise<void> {
  return decodeStreaming(new FLACDecoder(), bytes, sink);
}
