import { MPEGDecoder } from "mpg123-decoder";
import type { MonoSink } from "./mono-sink.js";
import { ReusedDecoder } from "./reused-decoder.js";

/** The shortest frames take 21 bytes for 1152 samples: a piece never gives more than some megabytes. */
const PIECE_BYTES = 16 * 1024;

const decoders = new ReusedDecoder(
  async () => {
    const decoder = new MPEGDecoder();
    await decoder.ready;
    return decoder;
  },
  // The package's types do not name it.
  (decoder) => (decoder as unknown as { _common: { wasm: { HEAP: ArrayBuffer } } })._common.wasm.HEAP,
);

/** Decodes MPEG layer III. The decoder always gives two channels; `channels` is what the first frame's header says. */
export async function decodeMp3(bytes: Uint8Array, channels: number, sink: MonoSink): Promise<void> {
  await decoders.use((decoder) => {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      const { channelData, sampleRate } = decoder.decode(bytes.subarray(at, at + PIECE_BYTES));
      sink.add(channelData.slice(0, channels), sampleRate);
    }
  });
}
