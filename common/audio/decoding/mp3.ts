import { MPEGDecoder } from "mpg123-decoder";
import { feedChunks } from "./feed.js";
import type { MonoSink } from "./mono-sink.js";

/** Decodes MPEG layer III. The decoder always gives two channels; `channels` is what the first frame's header says. */
export async function decodeMp3(bytes: Uint8Array, channels: number, sink: MonoSink): Promise<void> {
  const decoder = new MPEGDecoder();
  await decoder.ready;
  try {
    await feedChunks(bytes, (chunk) => {
      const { channelData, sampleRate } = decoder.decode(chunk);
      sink.add(channelData.slice(0, channels), sampleRate);
    });
  } finally {
    decoder.free();
  }
}
