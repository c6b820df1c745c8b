import { unreadable } from "./unreadable.js";

/** Sample format of a RIFF/WAVE file. */
export interface WavFormat {
  /** Reads one sample of a view, -1 to 1. */
  read(view: DataView, offset: number): number;
  bytesPerSample: number;
  channels: number;
  sampleRate: number;
}

/** Format and place of the samples. `dataBytes` is what the header says, infinite when it says nothing. */
export interface WavHeader extends WavFormat {
  dataOffset: number;
  dataBytes: number;
}

const EXTENSIBLE = 0xfffe;
/** Frames decoded at once. */
const BLOCK_FRAMES = 16_384;

const readers: Record<string, WavFormat["read"]> = {
  "1/1": (view, offset) => (view.getUint8(offset) - 128) / 128,
  "1/2": (view, offset) => view.getInt16(offset, true) / 32768,
  "1/3": (view, offset) => (view.getUint8(offset) | (view.getInt16(offset + 1, true) << 8)) / 8388608,
  "1/4": (view, offset) => view.getInt32(offset, true) / 2147483648,
  "3/4": (view, offset) => view.getFloat32(offset, true),
  "3/8": (view, offset) => view.getFloat64(offset, true),
  "6/1": (view, offset) => aLaw(view.getUint8(offset)),
  "7/1": (view, offset) => muLaw(view.getUint8(offset)),
};

/** ITU-T G.711, A-law. */
function aLaw(code: number): number {
  const value = code ^ 0x55;
  const exponent = (value >> 4) & 7;
  const mantissa = ((value & 15) << 4) + 8;
  const magnitude = exponent === 0 ? mantissa : (mantissa + 256) << (exponent - 1);
  return (value & 0x80 ? magnitude : -magnitude) / 32768;
}

/** ITU-T G.711, mu-law. */
function muLaw(code: number): number {
  const value = ~code & 0xff;
  const magnitude = ((((value & 15) << 3) + 132) << ((value >> 4) & 7)) - 132;
  return (value & 0x80 ? -magnitude : magnitude) / 32768;
}

/**
 * Finds format and samples of a RIFF/WAVE file, walking its chunks. Null when `bytes` end before the samples begin.
 * Throws `unsupported_format` for sample formats that are not uncompressed PCM, float or G.711.
 */
export function parseWavHeader(bytes: Uint8Array): WavHeader | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let format: WavFormat | null = null;
  for (let offset = 12; offset + 8 <= bytes.length; ) {
    const id = view.getUint32(offset);
    const size = view.getUint32(offset + 4, true);
    const body = offset + 8;
    if (id === 0x666d7420 && body + 16 <= bytes.length) format = parseFormat(view, body, size);
    if (id === 0x64617461) {
      if (format === null) throw unreadable("wav whose samples come before their format");
      const unknown = size === 0 || size >= 0x7fffff00;
      return { ...format, dataOffset: body, dataBytes: unknown ? Number.POSITIVE_INFINITY : size };
    }
    offset = body + size + (size & 1);
  }
  return null;
}

function parseFormat(view: DataView, body: number, size: number): WavFormat {
  let tag = view.getUint16(body, true);
  // The extensible form keeps the tag in the first two bytes of its sub-format identifier.
  if (tag === EXTENSIBLE && size >= 40 && body + 26 <= view.byteLength) tag = view.getUint16(body + 24, true);
  const channels = view.getUint16(body + 2, true);
  const sampleRate = view.getUint32(body + 4, true);
  const bits = view.getUint16(body + 14, true);
  const bytesPerSample = Math.ceil(bits / 8);
  const read = readers[`${tag}/${bytesPerSample}`];
  if (read === undefined) throw unreadable(`wav with codec ${tag} and ${bits} bits`);
  if (channels < 1 || channels > 8) throw unreadable(`wav with ${channels} channels`);
  return { read, bytesPerSample, channels, sampleRate };
}

/** The whole frames of `bytes`, some at a time: an array for each channel. */
export function* readWavFrames(
  { read, bytesPerSample, channels }: WavFormat,
  bytes: Uint8Array,
): Generator<Float32Array[]> {
  const frameBytes = bytesPerSample * channels;
  const frames = Math.floor(bytes.length / frameBytes);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let from = 0; from < frames; from += BLOCK_FRAMES) {
    const count = Math.min(BLOCK_FRAMES, frames - from);
    yield Array.from({ length: channels }, (_, channel) => {
      const plane = new Float32Array(count);
      let offset = from * frameBytes + channel * bytesPerSample;
      for (let i = 0; i < count; i++, offset += frameBytes) plane[i] = read(view, offset);
      return plane;
    });
  }
}
