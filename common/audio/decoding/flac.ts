import { FLACDecoder } from "@wasm-audio-decoders/flac";
import { feedChunks } from "./feed.js";
import type { MonoSink } from "./mono-sink.js";
import { decodeStreaming } from "./streaming-decoder.js";

const LAST_METADATA = 0x80;
const METADATA_HEAD_BYTES = 4;
/** Longer than any frame's head. */
const HEAD_BYTES = 64;

/** Decodes FLAC in Ogg. */
export function decodeOggFlac(bytes: Uint8Array, sink: MonoSink): Promise<void> {
  return decodeStreaming(new FLACDecoder(), bytes, sink);
}

/**
 * Decodes native FLAC. The library knows a frame's end by the next frame's head, and takes several short ones at the end of a file for one, which
 * loses their sound; so the head of the first frame is put after the last one.
 */
export async function decodeFlac(bytes: Uint8Array, sink: MonoSink): Promise<void> {
  const decoder = new FLACDecoder();
  await decoder.ready;
  const take = async (chunk: Uint8Array): Promise<void> => {
    const { channelData, sampleRate } = await decoder.decode(chunk);
    sink.add(channelData, sampleRate);
  };
  try {
    await feedChunks(bytes, take);
    const first = firstFrame(bytes);
    await take(bytes.subarray(first, first + HEAD_BYTES));
  } finally {
    decoder.free();
  }
}

/** Where the metadata of a native file ends (RFC 9639 section 8). */
function firstFrame(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 4;
  for (let more = true; more && at + METADATA_HEAD_BYTES <= bytes.length; ) {
    const head = view.getUint32(at);
    more = ((head >>> 24) & LAST_METADATA) === 0;
    at += METADATA_HEAD_BYTES + (head & 0xff_ffff);
  }
  return at;
}
