/**
 * One frame of FLAC (RFC 9639 section 9), from the codes of its header and its encoded samples; checksums are right.
 */
export function flacFrame(options: {
  number: number;
  sizeAndRate: number;
  channelsAndWidth: number;
  size?: Buffer;
  samples: Buffer;
}): Buffer {
  const { number, sizeAndRate, channelsAndWidth, size = Buffer.alloc(0), samples } = options;
  const head = Buffer.concat([Buffer.of(0xff, 0xf8, sizeAndRate, channelsAndWidth), codedNumber(number), size]);
  const body = Buffer.concat([head, Buffer.of(crc(head, 8, 0x07)), samples]);
  const check = Buffer.alloc(2);
  check.writeUInt16BE(crc(body, 16, 0x8005));
  return Buffer.concat([body, check]);
}

/** UTF-8's way of writing numbers, as FLAC uses it. */
function codedNumber(number: number): Buffer {
  if (number < 0x80) return Buffer.of(number);
  const bytes: number[] = [];
  let rest = number;
  for (let room = 0x3f; rest > room; room >>= 1) {
    bytes.unshift(0x80 | (rest & 0x3f));
    rest >>= 6;
  }
  return Buffer.of(((0xff << (7 - bytes.length)) & 0xff) | rest, ...bytes);
}

function crc(bytes: Uint8Array, bits: 8 | 16, polynomial: number): number {
  const mask = 2 ** bits - 1;
  let value = 0;
  for (const byte of bytes) {
    value ^= byte << (bits - 8);
    for (let bit = 0; bit < 8; bit++)
      value = value & (1 << (bits - 1)) ? ((value << 1) ^ polynomial) & mask : (value << 1) & mask;
  }
  return value;
}
