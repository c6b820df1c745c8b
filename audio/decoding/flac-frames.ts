/** The facts of a frame's header (RFC 9639 section 9.1) that tell where the next frame begins. */
interface FrameHeader {
  /** Bytes of the header, its checksum included. */
  bytes: number;
  /** Number of the frame, or of its first sample where block sizes vary. */
  number: number;
  /** Number that the next frame has. */
  nextNumber: number;
}

/** No frame is longer: eight channels of 65,535 samples of 32 bits, stored plainly. */
const MAX_FRAME_BYTES = 2_100_000;
const STREAM_INFO_BYTES = 4;

/**
 * Cuts native FLAC into its frames, views of the file, one at a time and in linear time: a frame ends where the next
 * header stands and the checksum over all before it is right. A damaged frame is left out, from its header to the next
 * frame's. The last frame may have something behind it that is no audio.
 */
export function* readFlacFrames(bytes: Uint8Array): Generator<Uint8Array> {
  let at = nextSync(bytes, skipMetadata(bytes));
  while (at < bytes.length) {
    const header = readHeader(bytes, at);
    if (header === null) {
      at = nextSync(bytes, at + 1);
      continue;
    }
    const { end, isWhole } = findEnd(bytes, at, header);
    if (isWhole) yield bytes.subarray(at, end);
    at = end;
  }
}

/** The first place after `fLaC` and its blocks of metadata. */
function skipMetadata(bytes: Uint8Array): number {
  let at = STREAM_INFO_BYTES;
  for (let isLast = false; !isLast && at + 4 <= bytes.length; ) {
    isLast = ((bytes[at] as number) & 0x80) !== 0;
    at += 4 + (((bytes[at + 1] as number) << 16) | ((bytes[at + 2] as number) << 8) | (bytes[at + 3] as number));
  }
  return at;
}

/** The next place with the fifteen bits that every frame begins with; the end of the file when there is none. */
function nextSync(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at >= 0; at = bytes.indexOf(0xff, at + 1)) if (isSync(bytes, at)) return at;
  return bytes.length;
}

function isSync(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === 0xff && ((bytes[at + 1] ?? 0) & 0xfe) === 0xf8;
}

/** Where the frame that begins at `start` ends, and whether it can be decoded. */
function findEnd(bytes: Uint8Array, start: number, header: FrameHeader): { end: number; isWhole: boolean } {
  const limit = Math.min(bytes.length, start + MAX_FRAME_BYTES);
  let check = 0;
  for (let at = start; at < limit; at++) {
    const isCandidate = at >= start + header.bytes + 2 && isSync(bytes, at);
    if (isCandidate) {
      const next = readHeader(bytes, at);
      if (next !== null && check === 0) return { end: at, isWhole: true };
      if (next !== null && next.number === header.nextNumber) return { end: at, isWhole: false };
    }
    check = ((check << 8) & 0xffff) ^ (crc16[(check >> 8) ^ (bytes[at] as number)] as number);
  }
  // The decoder finds the end of the last frame by itself; what is longer than any frame is none.
  return { end: limit, isWhole: limit === bytes.length };
}

function readHeader(bytes: Uint8Array, at: number): FrameHeader | null {
  if (!isSync(bytes, at)) return null;
  const [third, fourth] = [bytes[at + 2] ?? 0, bytes[at + 3] ?? 0];
  const [blockCode, rateCode, channelCode, widthCode] = [third >> 4, third & 15, fourth >> 4, (fourth >> 1) & 7];
  const isReserved = blockCode === 0 || rateCode === 15 || channelCode > 10 || widthCode === 3 || (fourth & 1) !== 0;
  const coded = isReserved ? null : readCodedNumber(bytes, at + 4);
  if (coded === null) return null;
  const blockPlace = at + 4 + coded.bytes;
  const blockBytes = blockCode === 6 ? 1 : blockCode === 7 ? 2 : 0;
  const rateBytes = rateCode === 12 ? 1 : rateCode > 12 ? 2 : 0;
  const checkPlace = blockPlace + blockBytes + rateBytes;
  if (checkPlace >= bytes.length) return null;
  let check = 0;
  for (let i = at; i < checkPlace; i++) check = crc8[check ^ (bytes[i] as number)] as number;
  if (check !== bytes[checkPlace]) return null;
  const isVariable = ((bytes[at + 1] as number) & 1) !== 0;
  const step = isVariable ? blockSamples(bytes, blockCode, blockPlace) : 1;
  return { bytes: checkPlace + 1 - at, number: coded.number, nextNumber: coded.number + step };
}

function blockSamples(bytes: Uint8Array, code: number, place: number): number {
  if (code === 1) return 192;
  if (code <= 5) return 144 * 2 ** code;
  if (code === 6) return (bytes[place] ?? 0) + 1;
  if (code === 7) return (((bytes[place] ?? 0) << 8) | (bytes[place + 1] ?? 0)) + 1;
  return 2 ** code;
}

/** UTF-8's way of writing numbers, drawn out to seven bytes. */
function readCodedNumber(bytes: Uint8Array, at: number): { number: number; bytes: number } | null {
  const first = bytes[at] ?? 0xff;
  if (first < 0x80) return { number: first, bytes: 1 };
  const length = Math.clz32(~(first << 24));
  if (length < 2 || length > 7) return null;
  let number = first & (0x7f >> length);
  for (let i = 1; i < length; i++) {
    const byte = bytes[at + i] ?? 0;
    if ((byte & 0xc0) !== 0x80) return null;
    number = number * 64 + (byte & 0x3f);
  }
  return { number, bytes: length };
}

/** Checksums of single bytes, by the polynomials of RFC 9639 sections 9.1.8 and 9.3. */
const crc8 = crcTable(8, 0x07);
const crc16 = crcTable(16, 0x8005);

function crcTable(bits: 8 | 16, polynomial: number): Uint16Array {
  return Uint16Array.from({ length: 256 }, (_, byte) => {
    let value = byte << (bits - 8);
    for (let bit = 0; bit < 8; bit++) value = value & (1 << (bits - 1)) ? (value << 1) ^ polynomial : value << 1;
    return value & (2 ** bits - 1);
  });
}
