import { decodeBase64 } from "./base64-bytes.js";

/** Bounds of the shape of a JSON text. */
export interface JsonBounds {
  /** Deepest nesting of objects and lists. */
  depth: number;
  /** Values and keys in all. Bytes that were taken out (`BytesAt`) count as one. */
  values: number;
}

/** Bytes that a JSON text carries as base64 or as a list of numbers, and where in the text they stand. */
export interface BytesAt {
  start: number;
  end: number;
  bytes: Uint8Array;
}

/** Longest name of a field that is compared with those of files. */
const LONGEST_FIELD = 32;

/** Shorter values are left to the parser. */
const LEAST_FILE_BYTES = 1024;

const [QUOTE, BACKSLASH, COLON, COMMA, OPEN_LIST, CLOSE_LIST, OPEN_MAP, CLOSE_MAP] = [
  0x22, 0x5c, 0x3a, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d,
];

/**
 * Walks a JSON text without building it, in time linear in its length: finds the files in it, which are megabytes and
 * need not be parsed, and bounds the shape of the rest before a parser makes a thousand times its size of it. Files are
 * the values of the fields in `fileFields`, alone or in a list. Gives them in order. Throws RangeError past the bounds.
 * What is no JSON passes here: it is the parser's to refuse.
 */
export function scanJson(text: Uint8Array, bounds: JsonBounds, fileFields: readonly string[]): BytesAt[] {
  const files: BytesAt[] = [];
  /** Of each open list or map, outermost first, whether it is the value of a field of files. */
  const open: boolean[] = [];
  let [at, values, isFile] = [0, 0, false];
  while (at < text.length) {
    const byte = text[at] as number;
    if (isBlank(byte) || byte === COMMA || byte === COLON) {
      at++;
      continue;
    }
    if (byte === CLOSE_LIST || byte === CLOSE_MAP) {
      open.pop();
      isFile = open.at(-1) ?? false;
      at++;
      continue;
    }
    if (++values > bounds.values) throw new RangeError(`JSON with more than ${bounds.values} values`);
    if (byte === QUOTE) {
      const end = endOfString(text, at);
      const field = nameBefore(text, end) ? fieldName(text, at + 1, end - 1) : null;
      if (field === null && isFile) takeString(text, { start: at, end }, files);
      isFile = field === null ? (open.at(-1) ?? false) : fileFields.includes(field);
      at = end;
    } else if (byte === OPEN_LIST || byte === OPEN_MAP) {
      const end = byte === OPEN_LIST && isFile ? takeByteList(text, at, files) : null;
      // A list of files is one of files too; a map has fields of its own.
      if (end === null) open.push(isFile && byte === OPEN_LIST);
      if (open.length > bounds.depth) throw new RangeError(`JSON nested deeper than ${bounds.depth} levels`);
      isFile = open.at(-1) ?? false;
      at = end ?? at + 1;
    } else {
      at = endOfWord(text, at);
      isFile = open.at(-1) ?? false;
    }
  }
  return files;
}

const isBlank = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** Place after the closing quote of the string that opens at `start`. */
function endOfString(text: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== QUOTE) at += text[at] === BACKSLASH ? 2 : 1;
  return Math.min(at + 1, text.length);
}

/** Place after a number or a literal. */
function endOfWord(text: Uint8Array, start: number): number {
  let at = start + 1;
  for (; at < text.length; at++) {
    const byte = text[at];
    if (
      isBlank(byte) ||
      byte === COMMA ||
      byte === COLON ||
      byte === CLOSE_LIST ||
      byte === CLOSE_MAP ||
      byte === QUOTE ||
      byte === OPEN_LIST ||
      byte === OPEN_MAP
    )
      break;
  }
  return at;
}

/** Whether the string that ends before `end` is the name of a field. */
function nameBefore(text: Uint8Array, end: number): boolean {
  let at = end;
  while (isBlank(text[at])) at++;
  return text[at] === COLON;
}

function fieldName(text: Uint8Array, start: number, end: number): string {
  return end - start > LONGEST_FIELD
    ? ""
    : Buffer.from(text.buffer, text.byteOffset + start, end - start).toString("latin1");
}

/**
 * Takes a string of base64, or of a data URL with it, out of the text. One with escapes, or anything else in it, stays.
 */
function takeString(text: Uint8Array, { start, end }: { start: number; end: number }, files: BytesAt[]): void {
  if (end - start < LEAST_FILE_BYTES) return;
  const bytes = decodeBase64(text.subarray(start + 1, end - 1));
  if (bytes !== null) files.push({ start, end, bytes });
}

/**
 * Takes a list of bytes, written as numbers, out of the text; gives the place after it, null where it is something
 * else.
 */
function takeByteList(text: Uint8Array, start: number, files: BytesAt[]): number | null {
  let end = start + 1;
  let items = 1;
  for (; end < text.length && text[end] !== CLOSE_LIST; end++) {
    const byte = text[end] as number;
    if (byte === COMMA) items++;
    else if (!isBlank(byte) && (byte < 0x30 || byte > 0x39)) return null;
  }
  if (end - start < LEAST_FILE_BYTES || end >= text.length) return null;
  const bytes = readByteList(text.subarray(start + 1, end), items);
  if (bytes === null) return null;
  files.push({ start, end: end + 1, bytes });
  return end + 1;
}

/**
 * Reads `items` numbers from 0 to 255, separated by commas; null where one is missing, too large or written in another
 * way.
 */
function readByteList(text: Uint8Array, items: number): Uint8Array | null {
  const bytes = new Uint8Array(items);
  let [item, value, digits, isEnded] = [0, 0, 0, false];
  for (const byte of text) {
    if (byte === COMMA) {
      if (digits === 0) return null;
      bytes[item++] = value;
      [value, digits, isEnded] = [0, 0, false];
    } else if (isBlank(byte)) {
      isEnded = digits > 0;
    } else {
      if (isEnded || (digits > 0 && value === 0)) return null;
      value = value * 10 + byte - 0x30;
      if (value > 255) return null;
      digits++;
    }
  }
  if (digits === 0) return null;
  bytes[item] = value;
  return bytes;
}
