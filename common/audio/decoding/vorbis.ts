import { OggVorbisDecoder } from "@wasm-audio-decoders/ogg-vorbis";
import { feedChunks } from "./feed.js";
import type { MonoSink } from "./mono-sink.js";

/** Decodes Vorbis in Ogg. */
export async function decodeVorbis(bytes: Uint8Array, sink: MonoSink): Promise<void> {
  const decoder = new OggVorbisDecoder();
  await decoder.ready;
  try {
    await feedChunks(bytes, async (chunk) => {
      const { channelData, sampleRate } = await decoder.decode(chunk);
      sink.add(channelData, sampleRate);
    });
    const { channelData, sampleRate } = await decoder.flush();
    sink.add(channelData, sampleRate);
  } finally {
    decoder.free();
  }
}
