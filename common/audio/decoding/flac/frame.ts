import { BitReader, DamagedBits } from "./bit-reader.js";
import { crc16, crc8 } from "./checksums.js";
import { readSubframe } from "./subframe.js";

/** What a frame that does not say so itself takes from the head of the stream. */
export interface StreamDefaults {
  sampleRate: number;
  bitsPerSample: number;
}

/** Sound of some thousand samples. */
export interface FlacFrame {
  /** One array per channel, -1 to 1. */
  channels: Float32Array[];
  sampleRate: number;
  /** Place of the byte after the frame. */
  end: number;
}

/** How a frame keeps two channels: each by itself, or one of them as the difference. */
type Stereo = "apart" | "left-side" | "side-right" | "mid-side";

interface FrameHead {
  blockSize: number;
  sampleRate: number;
  channels: number;
  stereo: Stereo;
  bitsPerSample: number;
}

const sampleRates = [0, 88_200, 176_400, 192_000, 8000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000];
const sampleSizes = [0, 8, 12, null, 16, 20, 24, 32];

/** True where a frame may begin (RFC 9639 section 9.1). */
export function maybeFrame(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === 0xff && ((bytes[at + 1] ?? 0) & 0xfe) === 0xf8;
}

/** Decodes the frame that begins at a byte. Null when there is none, or a damaged one. */
export function readFrame(bytes: Uint8Array, at: number, defaults: StreamDefaults): FlacFrame | null {
  if (!maybeFrame(bytes, at)) return null;
  try {
    const bits = new BitReader(bytes, at);
    const head = readHead(bits, defaults);
    if (bits.bits(8) !== crc8(bytes, at, bits.byte - 1)) return null;
    const planes = Array.from({ length: head.channels }, (_, channel) => {
      const values = new Float64Array(head.blockSize);
      readSubframe(bits, values, head.bitsPerSample + (holdsDifference(head.stereo, channel) ? 1 : 0));
      return values;
    });
    bits.align();
    const checked = bits.byte;
    if (bits.bits(16) !== crc16(bytes, at, checked)) return null;
    joinStereo(planes, head.stereo);
    const scale = 2 ** (1 - head.bitsPerSample);
    const channels = planes.map((values) => {
      const scaled = new Float32Array(values.length);
      for (let i = 0; i < scaled.length; i++) scaled[i] = (values[i] as number) * scale;
      return scaled;
    });
    return { channels, sampleRate: head.sampleRate, end: checked + 2 };
  } catch (error) {
    if (error instanceof DamagedBits) return null;
    throw error;
  }
}

/** Everything before the head's checksum. */
function readHead(bits: BitReader, defaults: StreamDefaults): FrameHead {
  bits.bits(16);
  const sizeCode = bits.bits(4);
  const rateCode = bits.bits(4);
  const channelCode = bits.bits(4);
  const depth = sampleSizes[bits.bits(3)];
  if (channelCode > 10 || depth === null || depth === undefined || bits.bits(1) !== 0) throw new DamagedBits("a frame's head");
  skipNumber(bits);
  const blockSize = readBlockSize(bits, sizeCode);
  const sampleRate = readSampleRate(bits, rateCode) || defaults.sampleRate;
  const bitsPerSample = depth || defaults.bitsPerSample;
  if (bitsPerSample === 0) throw new DamagedBits("a frame's head");
  const stereo = (["left-side", "side-right", "mid-side"] as const)[channelCode - 8] ?? "apart";
  return { blockSize, sampleRate, channels: channelCode < 8 ? channelCode + 1 : 2, stereo, bitsPerSample };
}

/** The number of the frame or of its first sample, written as UTF-8 writes numbers; frames are decoded in the order in which they lie. */
function skipNumber(bits: BitReader): void {
  const ones = Math.clz32(~(bits.bits(8) << 24));
  if (ones === 1 || ones > 7) throw new DamagedBits("a frame's number");
  for (let i = 1; i < ones; i++) if (bits.bits(8) >> 6 !== 2) throw new DamagedBits("a frame's number");
}

function readBlockSize(bits: BitReader, code: number): number {
  if (code === 0) throw new DamagedBits("a frame's size");
  if (code === 1) return 192;
  if (code <= 5) return 576 << (code - 2);
  if (code === 6) return bits.bits(8) + 1;
  if (code === 7) return bits.bits(16) + 1;
  return 256 << (code - 8);
}

/** 0 when the frame does not say. */
function readSampleRate(bits: BitReader, code: number): number {
  if (code < 12) return sampleRates[code] ?? 0;
  if (code === 12) return bits.bits(8) * 1000;
  if (code === 13) return bits.bits(16);
  if (code === 14) return bits.bits(16) * 10;
  throw new DamagedBits("a frame's rate");
}

/** The difference of two channels takes one bit more. */
function holdsDifference(stereo: Stereo, channel: number): boolean {
  return stereo === "side-right" ? channel === 0 : stereo !== "apart" && channel === 1;
}

/** Makes left and right of what was kept, in place. */
function joinStereo([first, second]: Float64Array[], stereo: Stereo): void {
  if (stereo === "apart" || first === undefined || second === undefined) return;
  for (let i = 0; i < first.length; i++) {
    const a = first[i] as number;
    const b = second[i] as number;
    if (stereo === "left-side") second[i] = a - b;
    else if (stereo === "side-right") first[i] = a + b;
    else {
      // The mean was rounded down; the difference has kept the bit that it lost.
      const twice = 2 * a + Math.abs(b % 2);
      first[i] = (twice + b) / 2;
      second[i] = (twice - b) / 2;
    }
  }
}
