import { fromFloat, samplesToBytes } from "../pcm.js";
import type { Codec } from "./codec.js";

/** Signed 16-bit little-endian samples without a container. */
export function createPcmCodec(): Codec {
  return {
    encode: (samples) => (samples.length === 0 ? [] : [samplesToBytes(fromFloat(samples))]),
    flush: () => [],
    finish: () => [],
  };
}

/**
 * The same in a RIFF/WAVE file. Its length is unknown while it streams: both sizes say 0xFFFFFFFF, which readers take
 * as "to the end".
 */
export function createWavCodec(sampleRate: number): Codec {
  let headerDue = true;
  const withHeader = (parts: Uint8Array[]): Uint8Array[] => {
    if (!headerDue) return parts;
    headerDue = false;
    return [wavHeader(sampleRate), ...parts];
  };
  const pcm = createPcmCodec();
  return {
    encode: (samples) => withHeader(pcm.encode(samples)),
    flush: () => withHeader([]),
    finish: () => withHeader([]),
  };
}

/** Header of a RIFF/WAVE file of 16-bit mono samples whose length is not known. */
export function wavHeader(sampleRate: number): Uint8Array {
  const header = Buffer.alloc(44);
  header.write("RIFF", 0, "latin1");
  header.writeUInt32LE(0xffffffff, 4);
  header.write("WAVEfmt ", 8, "latin1");
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write("data", 36, "latin1");
  header.writeUInt32LE(0xffffffff, 40);
  return header;
}

/** Where the two sizes of a header of `wavHeader` stand, and how much of the file each leaves out. */
const SIZES = [
  { at: 4, before: 8 },
  { at: 40, before: 44 },
];

/** The beginning of a file of `createWavCodec`, its header at least, with the sizes of a file of so many bytes. */
export function withWavLength(beginning: Uint8Array, fileBytes: number): Uint8Array {
  const changed = Buffer.from(beginning);
  for (const { at, before } of SIZES) changed.writeUInt32LE(fileBytes - before, at);
  return changed;
}
