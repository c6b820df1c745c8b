const table8 = tableOf(8, 0x07);
const table16 = tableOf(16, 0x8005);

/** The checksum of a FLAC frame's head, over the bytes from one place up to another. */
export function crc8(bytes: Uint8Array, from: number, to: number): number {
  let sum = 0;
  for (let at = from; at < to; at++) sum = table8[sum ^ (bytes[at] as number)] as number;
  return sum;
}

/** The checksum of a whole FLAC frame. */
export function crc16(bytes: Uint8Array, from: number, to: number): number {
  let sum = 0;
  for (let at = from; at < to; at++) sum = ((sum << 8) & 0xffff) ^ (table16[(sum >> 8) ^ (bytes[at] as number)] as number);
  return sum;
}

function tableOf(width: number, polynomial: number): Uint16Array {
  const mask = 2 ** width - 1;
  return Uint16Array.from({ length: 256 }, (_, byte) => {
    let sum = byte << (width - 8);
    for (let bit = 0; bit < 8; bit++) sum = ((sum << 1) ^ (sum >> (width - 1) ? polynomial : 0)) & mask;
    return sum;
  });
}
