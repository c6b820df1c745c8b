import { unreadable } from "../failures.js";
import type { MonoSink } from "../mono-sink.js";
import { maybeFrame, readFrame, type StreamDefaults } from "./frame.js";

/** Places in a file where something looks like a frame and is none; more of them is no recording with a fault. */
const MOST_FAULTS = 2000;
const STREAM_INFO = 0;
const NOT_LAST = 0x80;

/**
 * Decodes native FLAC (RFC 9639), to the last sample that is there. Frames whose checksum is wrong are left out. All in JavaScript: the
 * reference decoder in WebAssembly takes new memory for each file, which costs more processor time than a short file's sound.
 */
export function decodeFlac(bytes: Uint8Array, sink: MonoSink): void {
  const { defaults, end } = readMetadata(bytes);
  let faults = 0;
  for (let at = end; at < bytes.length; ) {
    const frame = readFrame(bytes, at, defaults);
    if (frame !== null) {
      sink.add(frame.channels, frame.sampleRate);
      at = frame.end;
      continue;
    }
    if (++faults > MOST_FAULTS) throw unreadable("flac that is damaged");
    do at++;
    while (at < bytes.length && !maybeFrame(bytes, at));
  }
}

/** Walks the metadata; zeros where the file does not begin with what it should. */
function readMetadata(bytes: Uint8Array): { defaults: StreamDefaults; end: number } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let defaults: StreamDefaults = { sampleRate: 0, bitsPerSample: 0 };
  let at = 4;
  for (let more = true; more && at + 4 <= bytes.length; ) {
    const head = view.getUint32(at);
    const kind = (head >>> 24) & ~NOT_LAST;
    const size = head & 0xff_ffff;
    const body = at + 4;
    if (kind === STREAM_INFO && body + 18 <= bytes.length) {
      const facts = view.getUint32(body + 10);
      defaults = { sampleRate: facts >>> 12, bitsPerSample: ((facts >>> 4) & 31) + 1 };
    }
    more = head >>> 31 === 0;
    at = body + size;
  }
  return { defaults, end: at };
}
