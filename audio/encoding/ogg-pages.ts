/** Page header flags (RFC 3533 section 6). */
const BEGIN_OF_STREAM = 2;
const END_OF_STREAM = 4;
const HEADER_BYTES = 27;

/** CRC-32 with polynomial 0x04c11db7, not reflected, no inversion: Ogg's own. */
const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte << 24;
  for (let bit = 0; bit < 8; bit++) value = value & 0x80000000 ? (value << 1) ^ 0x04c11db7 : value << 1;
  return value >>> 0;
});

function crc(bytes: Uint8Array): number {
  let value = 0;
  for (const byte of bytes) value = ((value << 8) ^ (crcTable[((value >>> 24) ^ byte) & 0xff] as number)) >>> 0;
  return value;
}

export interface PageOptions {
  /** Samples at 48 kHz up to the end of the last packet that ends on this page. */
  granulePosition: number;
  last?: boolean;
}

/**
 * Writes the pages of one logical Ogg stream (RFC 3533): whole packets only, at most 255 segments of 255 bytes on a
 * page.
 */
export function createOggPages(
  serialNumber: number,
): (packets: readonly Uint8Array[], options: PageOptions) => Uint8Array {
  let sequence = 0;
  return (packets, { granulePosition, last = false }) => {
    const lacing: number[] = [];
    for (const packet of packets) {
      for (let left = packet.length; left >= 255; left -= 255) lacing.push(255);
      lacing.push(packet.length % 255);
    }
    const bodyBytes = packets.reduce((sum, packet) => sum + packet.length, 0);
    const page = new Uint8Array(HEADER_BYTES + lacing.length + bodyBytes);
    const view = new DataView(page.buffer);
    page.set([0x4f, 0x67, 0x67, 0x53, 0, (sequence === 0 ? BEGIN_OF_STREAM : 0) | (last ? END_OF_STREAM : 0)]);
    view.setBigUint64(6, BigInt(granulePosition), true);
    view.setUint32(14, serialNumber, true);
    view.setUint32(18, sequence++, true);
    page[26] = lacing.length;
    page.set(lacing, HEADER_BYTES);
    let offset = HEADER_BYTES + lacing.length;
    for (const packet of packets) {
      page.set(packet, offset);
      offset += packet.length;
    }
    view.setUint32(22, crc(page), true);
    return page;
  };
}
