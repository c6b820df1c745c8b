/** The two codecs of the telephone network (ITU-T G.711), by their names in SDP. */
export type G711 = "PCMU" | "PCMA";

/** Numbers of the codecs in RTP (RFC 3551). */
export const payloadTypes: Readonly<Record<G711, number>> = { PCMU: 0, PCMA: 8 };

export function encodeG711(codec: G711, samples: Int16Array): Buffer {
  const encode = codec === "PCMU" ? encodeMuLaw : encodeALaw;
  return Buffer.from(samples.map(encode));
}

export function decodeG711(codec: G711, bytes: Uint8Array): Int16Array {
  return Int16Array.from(bytes, codec === "PCMU" ? decodeMuLaw : decodeALaw);
}

const BIAS = 132;
const MU_LAW_MOST = 32_635;

/** The place of the highest bit at or above the eighth, from 0: 128 and more lie in the segments above the first. */
function segmentOf(magnitude: number): number {
  return Math.max(0, 24 - Math.clz32(magnitude));
}

function encodeMuLaw(sample: number): number {
  const sign = sample < 0 ? 0x80 : 0;
  const magnitude = Math.min(Math.abs(sample), MU_LAW_MOST) + BIAS;
  const segment = segmentOf(magnitude);
  return ~(sign | (segment << 4) | ((magnitude >> (segment + 3)) & 0x0f)) & 0xff;
}

function decodeMuLaw(byte: number): number {
  const bits = ~byte & 0xff;
  const magnitude = ((((bits & 0x0f) << 3) + BIAS) << ((bits >> 4) & 0x07)) - BIAS;
  return bits & 0x80 ? -magnitude : magnitude;
}

/** Every other bit is turned, so that silence is not all zeros on the line. */
const A_LAW_TOGGLE = 0x55;

function encodeALaw(sample: number): number {
  const sign = sample < 0 ? 0 : 0x80;
  const magnitude = Math.min(sample < 0 ? ~sample : sample, 32_767);
  const segment = magnitude < 256 ? 0 : segmentOf(magnitude);
  const shift = segment === 0 ? 4 : segment + 3;
  return (sign | (segment << 4) | ((magnitude >> shift) & 0x0f)) ^ A_LAW_TOGGLE;
}

function decodeALaw(byte: number): number {
  const bits = byte ^ A_LAW_TOGGLE;
  const segment = (bits >> 4) & 0x07;
  const base = ((bits & 0x0f) << 4) + 8;
  const magnitude = segment === 0 ? base : (base + 0x100) << (segment - 1);
  return bits & 0x80 ? magnitude : -magnitude;
}
