import { OggVorbisDecoder } from "@wasm-audio-decoders/ogg-vorbis";
import type { MonoSink } from "./mono-sink.js";
import { decodeStreaming } from "./streaming-decoder.js";

/** Decodes Vorbis in Ogg. */
export function decodeVorbis(bytes: Uint8Array, sink: MonoSink): Promise<void> {
  return decodeStreaming(new OggVorbisDecoder(), bytes, sink);
}
