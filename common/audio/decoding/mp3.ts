import { MPEGDecoder } from "mpg123-decoder";
import { feedChunks } from "./feed.js";
import type { MonoSink } from "./mono-sink.js";

/** The parts of the library's decoder with which another file can be begun in the same WebAssembly instance; its `reset` makes a new one. */
interface Reusable extends MPEGDecoder {
  _decoder: number;
  _common: {
    wasm: { mpeg_frame_decoder_destroy(decoder: number): void; mpeg_frame_decoder_create(into: number, gapless: 0 | 1): number };
    allocateTypedArray(length: number, type: Uint32ArrayConstructor): { ptr: number; buf: Uint32Array };
  };
}

/** A decoder serves so many files: should the library lose memory at some of them, it does not add up. */
const FILES_PER_DECODER = 64;

let kept: Reusable | null = null;
let filesLeft = 0;

/**
 * Decodes MPEG layer III. The decoder always gives two channels; `channels` is what the first frame's header says. Files of one thread that
 * come one after another share a decoder: its sixteen megabytes of memory, new for each, would cost more than a short file's sound.
 */
export async function decodeMp3(bytes: Uint8Array, channels: number, sink: MonoSink): Promise<void> {
  const decoder = await takeDecoder();
  await feedChunks(bytes, (chunk) => {
    const { channelData, sampleRate } = decoder.decode(chunk);
    sink.add(channelData.slice(0, channels), sampleRate);
  });
  // One that has failed at a file is in no state to be known, and is left to the garbage collector.
  kept = decoder;
}

async function takeDecoder(): Promise<Reusable> {
  const decoder = kept;
  kept = null;
  if (decoder !== null && filesLeft > 0 && beginAnew(decoder)) {
    filesLeft--;
    return decoder;
  }
  filesLeft = FILES_PER_DECODER - 1;
  const fresh = new MPEGDecoder() as Reusable;
  await fresh.ready;
  return fresh;
}

/** False when the decoder cannot be used again. */
function beginAnew(decoder: Reusable): boolean {
  const { wasm } = decoder._common;
  const cell = decoder._common.allocateTypedArray(1, Uint32Array);
  wasm.mpeg_frame_decoder_destroy(decoder._decoder);
  if (wasm.mpeg_frame_decoder_create(cell.ptr, 1) !== 0) return false;
  decoder._decoder = cell.buf[0] as number;
  return true;
}
