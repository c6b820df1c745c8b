import { feedChunks } from "./feed.js";
import type { MonoSink } from "./mono-sink.js";

interface Decoded {
  channelData: Float32Array[];
  sampleRate: number;
}

/** A decoder that takes a file piece by piece (the wasm-audio-decoders interface). */
interface StreamingDecoder {
  ready: Promise<void>;
  decode(chunk: Uint8Array): Promise<Decoded>;
  flush(): Promise<Decoded>;
  free(): void;
}

/** Runs `bytes` through a fresh decoder into `sink`, and frees the decoder whatever happens. */
export async function decodeStreaming(decoder: StreamingDecoder, bytes: Uint8Array, sink: MonoSink): Promise<void> {
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
