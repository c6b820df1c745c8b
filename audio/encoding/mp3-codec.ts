import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { createEncoder, type WasmMediaEncoder } from "wasm-media-encoders";
import { type Codec, createFraming } from "./codec.js";

type Bitrate = NonNullable<Parameters<WasmMediaEncoder<"audio/mpeg">["configure"]>[0]["bitrate"]>;

/** Half an MPEG-1 layer III frame, one granule: the encoder never waits for more than it must. */
const GRANULE_SAMPLES = 576;

/** The part of the global that is used here; Node's types leave it to the browser's. */
const { WebAssembly } = globalThis as unknown as { WebAssembly: { compile(bytes: Uint8Array): Promise<object> } };

let compiled: Promise<object> | null = null;

/** Compiled once per thread: a stream then starts in under 2 ms. */
function encoderModule(): Promise<object> {
  compiled ??= readFile(createRequire(import.meta.url).resolve("wasm-media-encoders/wasm/mp3")).then((bytes) =>
    WebAssembly.compile(bytes),
  );
  return compiled;
}

/** MPEG layer III at a constant bitrate, mono, by LAME. */
export async function createMp3Codec(sampleRate: number, kilobitsPerSecond: number): Promise<Codec> {
  const encoder = await createEncoder("audio/mpeg", await encoderModule());
  const settings = { channels: 1, sampleRate, bitrate: kilobitsPerSecond as Bitrate } as const;
  encoder.configure(settings);
  const framing = createFraming(GRANULE_SAMPLES);
  let holdsAudio = false;

  // The encoder answers with a view of its own memory, valid until the next call.
  const encoded = (samples: Float32Array): Uint8Array => encoder.encode([samples]).slice();

  function end(): Uint8Array[] {
    const rest = framing.rest();
    if (!holdsAudio && rest.length === 0) return [];
    holdsAudio = false;
    const parts = rest.length > 0 ? [encoded(rest)] : [];
    parts.push(encoder.finalize().slice());
    return parts;
  }

  return {
    encode(samples) {
      const parts: Uint8Array[] = [];
      framing.push(samples, (frame) => {
        holdsAudio = true;
        const part = encoded(frame);
        if (part.length > 0) parts.push(part);
      });
      return parts;
    },
    // LAME has no flush that keeps its state in this build: ending it and starting anew costs about 40 ms of silence.
    flush() {
      const parts = end();
      if (parts.length > 0) encoder.configure(settings);
      return parts;
    },
    finish: end,
  };
}
