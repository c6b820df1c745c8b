import { FLACDecoder } from "@wasm-audio-decoders/flac";
import { readFlacFrames } from "./flac-frames.js";
import type { MonoSink } from "./mono-sink.js";
import { readOggPackets } from "./ogg-packets.js";
import { ReusedDecoder } from "./reused-decoder.js";

const decoders = new ReusedDecoder(
  async () => {
    const decoder = new FLACDecoder();
    await decoder.ready;
    return decoder;
  },
  // The package's types do not name it.
  (decoder) =>
    (decoder as unknown as { _decoder: { _common: { wasm: { HEAP: ArrayBuffer } } } })._decoder._common.wasm.HEAP,
);

/**
 * Decodes FLAC, native or in Ogg, frame by frame: one holds at most 65,535 samples of eight channels, however few bytes
 * it takes.
 */
export async function decodeFlac(bytes: Uint8Array, container: "flac" | "ogg-flac", sink: MonoSink): Promise<void> {
  await decoders.use(async (decoder) => {
    for (const frame of container === "flac" ? readFlacFrames(bytes) : framesInOgg(bytes)) {
      const { channelData, sampleRate } = await decoder.decodeFrames([frame]);
      sink.add(channelData, sampleRate);
    }
  });
}

/** Each packet is a frame, apart from those of metadata in front (https://xiph.org/flac/ogg_mapping.html). */
function* framesInOgg(bytes: Uint8Array): Generator<Uint8Array> {
  for (const { data } of readOggPackets(bytes)) if (data[0] === 0xff) yield data;
}
