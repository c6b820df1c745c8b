import { FLACDecoder } from "@wasm-audio-decoders/flac";
import { feedChunks } from "./feed.js";
import type { MonoSink } from "./mono-sink.js";

/** Decodes FLAC, native or in Ogg. */
export async function decodeFlac(bytes: Uint8Array, sink: MonoSink): Promise<void> {
  const decoder = new FLACDecoder();
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
