import { MPEGDecoder } from "mpg123-decoder";
import type { MonoSink } from "./mono-sink.js";

/** The shortest frames take 21 bytes for 1152 samples: a piece never gives more than some megabytes. */
const PIECE_BYTES = 16 * 1024;

/** Decodes MPEG layer III. The decoder always gives two channels; `channels` is what the first frame's header says. */
export async function decodeMp3(bytes: Uint8Array, channels: number, sink: MonoSink): Promise<void> {
  const decoder = new MPEGDecoder();
  await decoder.ready;
  try {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      const { channelData, sampleRate } = decoder.decode(bytes.subarray(at, at + PIECE_BYTES));
      sink.add(channelData.slice(0, channels), sampleRate);
    }
  } finally {
    decoder.free();
  }
}
