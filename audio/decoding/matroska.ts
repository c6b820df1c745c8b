import { unreadable } from "../unreadable.js";

/** The first audio track of a Matroska or WebM file (RFC 9559). */
export interface MatroskaAudio {
  /** Such as `A_OPUS`. */
  codec: string;
  codecPrivate: Uint8Array;
  channels: number;
  /** True when the packets are compressed or encrypted once more. */
  isTransformed: boolean;
  /** Packets in order, one at a time. */
  packets(): Iterable<MatroskaPacket>;
}

export interface MatroskaPacket {
  data: Uint8Array;
  /** Audio to drop from the packet's end, milliseconds. */
  discardMs: number;
}

/** Identifiers of the elements that are looked at. */
const SEGMENT = 0x18538067;
const TRACKS = 0x1654ae6b;
const TRACK_ENTRY = 0xae;
const TRACK_NUMBER = 0xd7;
const TRACK_TYPE = 0x83;
const CODEC_ID = 0x86;
const CODEC_PRIVATE = 0x63a2;
const CONTENT_ENCODINGS = 0x6d80;
const AUDIO = 0xe1;
const CHANNELS = 0x9f;
const CLUSTER = 0x1f43b675;
const SIMPLE_BLOCK = 0xa3;
const BLOCK_GROUP = 0xa0;
const BLOCK = 0xa1;
const DISCARD_PADDING = 0x75a2;
const fieldIds = new Set([
  TRACK_NUMBER,
  TRACK_TYPE,
  CODEC_ID,
  CODEC_PRIVATE,
  CONTENT_ENCODINGS,
  AUDIO,
  CHANNELS,
  BLOCK,
  DISCARD_PADDING,
]);

const AUDIO_TRACK = 2;
/** Ways of putting several packets into one block; what remains is EBML lacing. */
const NO_LACING = 0;
const XIPH_LACING = 1;
const FIXED_LACING = 2;
const NANOSECONDS_PER_MS = 1e6;

/** An element of EBML (RFC 8794); its content is clipped to its parent's. */
interface Element {
  id: number;
  start: number;
  end: number;
}

/**
 * Finds the first audio track. Elements are read one at a time and only the track's own are remembered, whatever their
 * number and whatever lengths they claim. Throws when there is no audio track.
 */
export function readMatroskaAudio(bytes: Uint8Array): MatroskaAudio {
  for (const { id, start, end } of topElements(bytes)) {
    if (id !== TRACKS) continue;
    for (const entry of elements(bytes, start, end)) {
      const fields = entry.id === TRACK_ENTRY ? fieldsOf(bytes, entry) : null;
      if (fields !== null && unsigned(bytes, fields.get(TRACK_TYPE)) === AUDIO_TRACK) return trackOf(bytes, fields);
    }
  }
  throw unreadable("webm without an audio track");
}

function trackOf(bytes: Uint8Array, fields: ReadonlyMap<number, Element>): MatroskaAudio {
  const number = unsigned(bytes, fields.get(TRACK_NUMBER));
  const audio = fields.get(AUDIO);
  return {
    codec: Buffer.from(contentOf(bytes, fields.get(CODEC_ID)))
      .toString("latin1")
      .replace(/\0.*/s, ""),
    codecPrivate: contentOf(bytes, fields.get(CODEC_PRIVATE)),
    channels: audio === undefined ? 1 : (unsigned(bytes, fieldsOf(bytes, audio).get(CHANNELS)) ?? 1),
    isTransformed: fields.has(CONTENT_ENCODINGS),
    *packets() {
      for (const element of topElements(bytes)) {
        if (element.id === SIMPLE_BLOCK) yield* packetsOf(bytes, element, { number, discardMs: 0 });
        if (element.id !== BLOCK_GROUP) continue;
        const group = fieldsOf(bytes, element);
        const block = group.get(BLOCK);
        const discardMs = Math.max(0, signed(bytes, group.get(DISCARD_PADDING)) / NANOSECONDS_PER_MS);
        if (block !== undefined) yield* packetsOf(bytes, block, { number, discardMs });
      }
    },
  };
}

/** The packets of a block, if it is of the track of that number; what is to be discarded belongs to the last. */
function* packetsOf(
  bytes: Uint8Array,
  block: Element,
  track: { number: number | undefined; discardMs: number },
): Generator<MatroskaPacket> {
  const number = readVint(bytes, block.start, block.end);
  if (number === null || number.value !== track.number) return;
  // A relative time of two bytes, then the flags.
  const lacing = ((bytes[number.next + 2] ?? 0) >> 1) & 3;
  let { sizes, at } = readLacing(bytes, { at: number.next + 3, end: block.end, lacing });
  for (const size of sizes) {
    if (size < 0 || at + size > block.end) return;
    yield { data: bytes.subarray(at, at + size), discardMs: 0 };
    at += size;
  }
  if (at < block.end) yield { data: bytes.subarray(at, block.end), discardMs: track.discardMs };
}

/**
 * Sizes of all packets of a block but the last, which takes the rest, and where the first begins (RFC 9559 section
 * 10.3).
 */
function readLacing(
  bytes: Uint8Array,
  block: { at: number; end: number; lacing: number },
): { sizes: number[]; at: number } {
  const { end, lacing } = block;
  let { at } = block;
  const sizes: number[] = [];
  if (lacing === NO_LACING) return { sizes, at };
  const count = bytes[at++] ?? 0;
  if (lacing === FIXED_LACING)
    return { sizes: new Array<number>(count).fill(Math.floor((end - at) / (count + 1))), at };
  for (let i = 0; i < count && at < end; i++) {
    if (lacing === XIPH_LACING) {
      let size = 0;
      for (let byte = 255; byte === 255 && at < end; size += byte) byte = bytes[at++] ?? 0;
      sizes.push(size);
    } else {
      const size = readVint(bytes, at, end);
      if (size === null) return { sizes: [], at: end };
      // All but the first are differences from the one before, with half of their range below zero.
      sizes.push(i === 0 ? size.value : (sizes[i - 1] ?? 0) + size.value - (2 ** (7 * (size.next - at) - 1) - 1));
      at = size.next;
    }
  }
  return { sizes, at };
}

/**
 * Elements of the file's upper levels in order: what segments and clusters hold stands beside them, since both may
 * leave their length open.
 */
function* topElements(bytes: Uint8Array): Generator<Element> {
  for (let at = 0; at < bytes.length; ) {
    const element = readElement(bytes, at, bytes.length);
    if (element === null) return;
    const isEntered = element.id === SEGMENT || element.id === CLUSTER;
    if (!isEntered) yield element;
    at = isEntered ? element.start : element.end;
  }
}

function* elements(bytes: Uint8Array, start: number, end: number): Generator<Element> {
  for (let at = start; at < end; ) {
    const element = readElement(bytes, at, end);
    if (element === null) return;
    yield element;
    at = element.end;
  }
}

/** The first element of each kind in `fieldIds` within another. */
function fieldsOf(bytes: Uint8Array, { start, end }: Element): Map<number, Element> {
  const fields = new Map<number, Element>();
  for (const element of elements(bytes, start, end))
    if (fieldIds.has(element.id) && !fields.has(element.id)) fields.set(element.id, element);
  return fields;
}

function readElement(bytes: Uint8Array, at: number, end: number): Element | null {
  const idBytes = Math.clz32(bytes[at] ?? 0) - 23;
  if (idBytes > 4 || at + idBytes >= end) return null;
  let id = 0;
  for (let i = 0; i < idBytes; i++) id = id * 256 + (bytes[at + i] as number);
  const size = readVint(bytes, at + idBytes, end);
  return size === null ? null : { id, start: size.next, end: Math.min(end, size.next + size.value) };
}

/**
 * A number of variable length (RFC 8794 section 4); one with all bits set, which stands for an unknown length, is
 * larger than any file.
 */
function readVint(bytes: Uint8Array, at: number, end: number): { value: number; next: number } | null {
  const length = Math.clz32(bytes[at] ?? 0) - 23;
  if (length > 8 || at + length > end) return null;
  let value = (bytes[at] as number) & (0xff >> length);
  let isAllOnes = value === 0xff >> length;
  for (let i = 1; i < length; i++) {
    value = value * 256 + (bytes[at + i] as number);
    isAllOnes &&= bytes[at + i] === 0xff;
  }
  return { value: isAllOnes ? Number.MAX_SAFE_INTEGER : value, next: at + length };
}

function contentOf(bytes: Uint8Array, element: Element | undefined): Uint8Array {
  return element === undefined ? new Uint8Array(0) : bytes.subarray(element.start, element.end);
}

function unsigned(bytes: Uint8Array, element: Element | undefined): number | undefined {
  if (element === undefined || element.end - element.start > 8) return undefined;
  return contentOf(bytes, element).reduce((value, byte) => value * 256 + byte, 0);
}

function signed(bytes: Uint8Array, element: Element | undefined): number {
  const value = unsigned(bytes, element);
  if (value === undefined || element === undefined) return 0;
  const range = 256 ** (element.end - element.start);
  return value >= range / 2 ? value - range : value;
}
