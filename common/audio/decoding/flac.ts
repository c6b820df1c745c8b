import { FLACDecoder } from "@wasm-audio-decoders/flac";
import { feedChunks } from "./feed.js";
import type { MonoSink } from "./mono-sink.js";
import { decodeStreaming } from "./streaming-decoder.js";

const LAST_METADATA = 0x80;
const METADATA_HEAD_BYTES = 4;
/** Longer than any frame's head. */
const HEAD_BYTES = 64;

/** A WebAssembly instance as the library makes it for each decoder. */
interface InstanceMaker {
  new (common: unknown): { instantiate(): object };
}

/** The library's inner decoder: what makes its instances can be replaced. */
interface Inner {
  _EmscriptenWASM: InstanceMaker;
  constructor: { EmscriptenWASM?: InstanceMaker };
}

/** An instance serves so many decoders: should the library lose memory at some files, it does not add up. */
const DECODERS_PER_INSTANCE = 64;

let kept: object | null = null;
let decodersLeft = 0;
let keepsInstances = false;

/** Decodes FLAC in Ogg. */
export function decodeOggFlac(bytes: Uint8Array, sink: MonoSink): Promise<void> {
  return decodeStreaming(openDecoder(), bytes, sink).catch(forgetInstance);
}

/**
 * Decodes native FLAC. The library knows a frame's end by the next frame's head, and takes several short ones at the end of a file for one, which
 * loses their sound; so the head of the first frame is put after the last one.
 */
export async function decodeFlac(bytes: Uint8Array, sink: MonoSink): Promise<void> {
  const decoder = openDecoder();
  await decoder.ready;
  const take = async (chunk: Uint8Array): Promise<void> => {
    const { channelData, sampleRate } = await decoder.decode(chunk);
    sink.add(channelData, sampleRate);
  };
  try {
    await feedChunks(bytes, take);
    const first = firstFrame(bytes);
    await take(bytes.subarray(first, first + HEAD_BYTES));
    decoder.free();
  } catch (error) {
    forgetInstance(error);
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

/**
 * A fresh decoder, in an instance that decoders of this thread share: its sixteen megabytes of memory, new for each file, would cost more than
 * a short file's sound.
 */
function openDecoder(): FLACDecoder {
  if (decodersLeft-- <= 0) [kept, decodersLeft] = [null, DECODERS_PER_INSTANCE - 1];
  if (!keepsInstances) keepInstances();
  return new FLACDecoder();
}

function keepInstances(): void {
  keepsInstances = true;
  const { _decoder: inner } = new FLACDecoder() as unknown as { _decoder: Inner };
  const Own = inner._EmscriptenWASM;
  inner.constructor.EmscriptenWASM = class {
    readonly #common: unknown;

    constructor(common: unknown) {
      this.#common = common;
    }

    instantiate(): object {
      kept ??= new Own(this.#common).instantiate();
      return kept;
    }
  };
}

/** After a failure an instance is in no state to be known: nobody else shall have it. */
function forgetInstance(error: unknown): never {
  kept = null;
  throw error;
}
