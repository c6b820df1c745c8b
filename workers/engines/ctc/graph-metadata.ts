import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** Field of ModelProto (onnx.proto) that holds pairs of key and value, and their fields in StringStringEntryProto. */
const METADATA_FIELD = 14;
const KEY_FIELD = 1;
const VALUE_FIELD = 2;

const MAX_ENTRY_BYTES = 1 << 20;

/**
 * The metadata of an ONNX file, which the runtime does not tell. Only the heads of the file's outer fields are read; a
 * file that is not of this form gives what was found before.
 */
export function readGraphMetadata(path: string): Map<string, string> {
  const found = new Map<string, string>();
  const file = openSync(path, "r");
  try {
    const size = fstatSync(file).size;
    const read = (position: number, length: number): Buffer => {
      const bytes = Buffer.alloc(Math.max(0, Math.min(length, size - position)));
      return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, position));
    };
    for (let position = 0; position < size; ) {
      const field = readHead(read(position, 20));
      if (field === null) break;
      const start = position + field.headBytes;
      if (field.number === METADATA_FIELD && field.length <= MAX_ENTRY_BYTES)
        addEntry(found, read(start, field.length));
      position = start + field.length;
    }
  } finally {
    closeSync(file);
  }
  return found;
}

function addEntry(found: Map<string, string>, entry: Buffer): void {
  let [key, value] = ["", ""];
  for (let at = 0; at < entry.length; ) {
    const field = readHead(entry.subarray(at));
    if (field === null) return;
    const start = at + field.headBytes;
    const text = entry.toString("utf8", start, start + field.length);
    if (field.number === KEY_FIELD) key = text;
    if (field.number === VALUE_FIELD) value = text;
    at = start + field.length;
  }
  if (key !== "") found.set(key, value);
}

interface FieldHead {
  number: number;
  headBytes: number;
  /** Bytes of the value behind the head. */
  length: number;
}

/**
 * Key of a field and, where it has one, its length (https://protobuf.dev/programming-guides/encoding/); null for what
 * is neither.
 */
function readHead(bytes: Buffer): FieldHead | null {
  const key = readVarint(bytes, 0);
  if (key === null || key.value < 8) return null;
  const number = Math.floor(key.value / 8);
  const next = readVarint(bytes, key.end);
  switch (key.value % 8) {
    case 0:
      return next === null ? null : { number, headBytes: next.end, length: 0 };
    case 1:
      return { number, headBytes: key.end, length: 8 };
    case 2:
      return next === null ? null : { number, headBytes: next.end, length: next.value };
    case 5:
      return { number, headBytes: key.end, length: 4 };
    default:
      return null;
  }
}

function readVarint(bytes: Buffer, from: number): { value: number; end: number } | null {
  let value = 0;
  for (let i = 0; i < 10; i++) {
    const byte = bytes[from + i];
    if (byte === undefined) return null;
    value += (byte & 127) * 2 ** (7 * i);
    if (byte < 128) return { value, end: from + i + 1 };
  }
  return null;
}
