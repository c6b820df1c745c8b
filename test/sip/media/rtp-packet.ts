/** One packet of RTP (RFC 3550), without extensions. */
export interface RtpPacket {
  payloadType: number;
  /** First of a talk spurt, or of a telephone event. */
  marker: boolean;
  sequence: number;
  /** In samples. */
  timestamp: number;
  source: number;
  payload: Uint8Array;
}

const HEADER_BYTES = 12;
const VERSION = 2;

export function rtpBytes({ payloadType, marker, sequence, timestamp, source, payload }: RtpPacket): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt8(VERSION << 6, 0);
  header.writeUInt8((marker ? 0x80 : 0) | payloadType, 1);
  header.writeUInt16BE(sequence & 0xffff, 2);
  header.writeUInt32BE(timestamp >>> 0, 4);
  header.writeUInt32BE(source >>> 0, 8);
  return Buffer.concat([header, payload]);
}

/** Null for what is no RTP. */
export function parseRtp(bytes: Buffer): RtpPacket | null {
  if (bytes.length < HEADER_BYTES || bytes.readUInt8(0) >> 6 !== VERSION) return null;
  const contributors = bytes.readUInt8(0) & 0x0f;
  return {
    payloadType: bytes.readUInt8(1) & 0x7f,
    marker: bytes.readUInt8(1) >= 0x80,
    sequence: bytes.readUInt16BE(2),
    timestamp: bytes.readUInt32BE(4),
    source: bytes.readUInt32BE(8),
    payload: bytes.subarray(HEADER_BYTES + 4 * contributors),
  };
}
