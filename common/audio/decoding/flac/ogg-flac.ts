import type { MonoSink } from "../mono-sink.js";
import { decodeFlac } from "./flac.js";

const PAGE_MARK = 0x4f676753;
const PAGE_HEAD_BYTES = 27;
/** The first packet tells versions before the native stream begins (RFC 9639 section 10.1). */
const MAPPING_HEAD_BYTES = 9;

/** Decodes FLAC in Ogg: the packets of its first stream, laid end to end, are native FLAC. */
export function decodeOggFlac(bytes: Uint8Array, sink: MonoSink): void {
  decodeFlac(packetsOf(bytes).subarray(MAPPING_HEAD_BYTES), sink);
}

/** What the pages of a file's first stream hold (RFC 3533 section 6), as far as they are whole. */
function packetsOf(bytes: Uint8Array): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const held = new Uint8Array(bytes.length);
  let length = 0;
  let stream: number | null = null;
  for (let at = 0; at + PAGE_HEAD_BYTES <= bytes.length; ) {
    if (view.getUint32(at) !== PAGE_MARK) {
      at++;
      continue;
    }
    const segments = bytes.subarray(at + PAGE_HEAD_BYTES, at + PAGE_HEAD_BYTES + (bytes[at + 26] as number));
    const from = at + PAGE_HEAD_BYTES + segments.length;
    const page = bytes.subarray(from, from + segments.reduce((sum, size) => sum + size, 0));
    stream ??= view.getUint32(at + 14);
    if (view.getUint32(at + 14) === stream) {
      held.set(page, length);
      length += page.length;
    }
    at = from + page.length;
  }
  return held.subarray(0, length);
}
