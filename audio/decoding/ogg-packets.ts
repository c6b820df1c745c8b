/** A packet of an Ogg stream (RFC 3533). */
export interface OggPacket {
  /** A view of the file where the packet lies on one page. */
  data: Uint8Array;
  /**
   * What the page says of the place up to which the stream is complete with this packet; null unless it is the last
   * that ends on its page.
   */
  granulePosition: number | null;
  /** True for the last packet of the page that ends the stream. */
  isLast: boolean;
}

const HEADER_BYTES = 27;
const CAPTURE_PATTERN = Buffer.from("OggS");
const CONTINUED = 1;
const END_OF_STREAM = 4;
const UNSEGMENTED = 255;

interface Page {
  flags: number;
  granulePosition: number;
  serialNumber: number;
  lacing: Uint8Array;
  bodyOffset: number;
  endOffset: number;
}

/**
 * Reads the packets of the first stream in an Ogg file, one at a time: what is held besides the file is one packet.
 * Pages of other streams are skipped; where a page is damaged, reading goes on at the next. Ends with the stream.
 */
export function* readOggPackets(bytes: Uint8Array): Generator<OggPacket> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let serialNumber: number | null = null;
  let unfinished: Uint8Array[] = [];
  for (let page = findPage(file, 0); page !== null; page = findPage(file, page.endOffset)) {
    serialNumber ??= page.serialNumber;
    if (page.serialNumber !== serialNumber) continue;
    const isContinued = (page.flags & CONTINUED) !== 0;
    // The beginning of a continued packet may be lost, and so may the end of one that was to be continued.
    let isHeadless = isContinued && unfinished.length === 0;
    if (!isContinued) unfinished = [];
    const lastEnding = page.lacing.findLastIndex((length) => length < UNSEGMENTED);
    let start = page.bodyOffset;
    let end = start;
    for (const [index, length] of page.lacing.entries()) {
      end += length;
      if (length === UNSEGMENTED) continue;
      const data = joined(unfinished, file.subarray(start, end));
      unfinished = [];
      start = end;
      if (isHeadless) isHeadless = false;
      else yield packetOf(page, data, index === lastEnding);
    }
    if (end > start && !isHeadless) unfinished.push(file.subarray(start, end));
    if ((page.flags & END_OF_STREAM) !== 0) return;
  }
}

function packetOf(page: Page, data: Uint8Array, isLastOnPage: boolean): OggPacket {
  const granulePosition = isLastOnPage && page.granulePosition >= 0 ? page.granulePosition : null;
  return { data, granulePosition, isLast: isLastOnPage && (page.flags & END_OF_STREAM) !== 0 };
}

function joined(before: readonly Uint8Array[], last: Uint8Array): Uint8Array {
  return before.length === 0 ? last : Buffer.concat([...before, last]);
}

/** The next whole page at or after a place; its body may be cut off by the end of the file. */
function findPage(file: Buffer, from: number): Page | null {
  for (let at = file.indexOf(CAPTURE_PATTERN, from); at >= 0; at = file.indexOf(CAPTURE_PATTERN, at + 1)) {
    const bodyOffset = at + HEADER_BYTES + (file[at + 26] ?? 0);
    if (bodyOffset > file.length) return null;
    if (file[at + 4] !== 0) continue;
    const lacing = file.subarray(at + HEADER_BYTES, bodyOffset);
    return {
      flags: file[at + 5] ?? 0,
      granulePosition: Number(file.readBigInt64LE(at + 6)),
      serialNumber: file.readUInt32LE(at + 14),
      lacing,
      bodyOffset,
      endOffset: lacing.reduce((end, length) => end + length, bodyOffset),
    };
  }
  return null;
}
