import { createReadStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { createInflateRaw, crc32 } from "node:zlib";
import { CommandError } from "../../command.js";
import type { ArchiveEntry } from "./archive-entry.js";

/** Signatures and fixed sizes of APPNOTE.TXT 6.3 (4.3.7, 4.3.12, 4.3.16). */
const LOCAL_SIGNATURE = 0x04034b50;
const CENTRAL_SIGNATURE = 0x02014b50;
const END_SIGNATURE = 0x06054b50;
const LOCAL_BYTES = 30;
const CENTRAL_BYTES = 46;
const END_BYTES = 22;
const MAX_COMMENT_BYTES = 65_535;
const MAX_DIRECTORY_BYTES = 64 * 1024 * 1024;

const STORED = 0;
const DEFLATED = 8;
const FILE_TYPE_MASK = 0o170000;
const REGULAR_FILE = 0o100000;
const FOLDER = 0o040000;

const damaged = (what: string): CommandError => new CommandError(`the archive is damaged: ${what}`);

interface CentralEntry {
  name: string;
  kind: ArchiveEntry["kind"];
  method: number;
  checksum: number;
  packedBytes: number;
  bytes: number;
  localOffset: number;
}

/**
 * Reads a zip archive in the order of its directory, the only part of it that counts. Throws CommandError where it is
 * damaged or encrypted.
 */
export async function* readZip(path: string): AsyncGenerator<ArchiveEntry> {
  const file = await open(path, "r");
  try {
    for (const entry of readDirectory(await directoryOf(file))) {
      yield { name: entry.name, kind: entry.kind, bytes: entry.bytes, content: contentOf(path, file, entry) };
    }
  } finally {
    await file.close();
  }
}

async function directoryOf(file: FileHandle): Promise<Buffer> {
  const { size } = await file.stat();
  const tail = await readAt(
    file,
    Math.max(0, size - END_BYTES - MAX_COMMENT_BYTES),
    Math.min(size, END_BYTES + MAX_COMMENT_BYTES),
  );
  const end = tail.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
  if (end < 0 || end + END_BYTES > tail.length || tail.readUInt32LE(end) !== END_SIGNATURE)
    throw damaged("it has no directory");
  const [bytes, offset] = [tail.readUInt32LE(end + 12), tail.readUInt32LE(end + 16)];
  if (offset === 0xffffffff || bytes === 0xffffffff)
    throw new CommandError("zip archives above 4 GiB are not read; use tar");
  if (bytes > MAX_DIRECTORY_BYTES || offset + bytes > size) throw damaged("its directory lies outside of it");
  return await readAt(file, offset, bytes);
}

function* readDirectory(directory: Buffer): Generator<CentralEntry> {
  for (let at = 0; at + CENTRAL_BYTES <= directory.length; ) {
    if (directory.readUInt32LE(at) !== CENTRAL_SIGNATURE) throw damaged("its directory has something else in it");
    const [flags, method] = [directory.readUInt16LE(at + 8), directory.readUInt16LE(at + 10)];
    const lengths = [28, 30, 32].map((field) => directory.readUInt16LE(at + field));
    const [nameBytes = 0, extraBytes = 0, commentBytes = 0] = lengths;
    const name = directory.toString("utf8", at + CENTRAL_BYTES, at + CENTRAL_BYTES + nameBytes);
    if ((flags & 1) !== 0) throw new CommandError("the archive is encrypted");
    yield {
      name,
      kind: kindOf(name, directory.readUInt32LE(at + 38) >>> 16),
      method,
      checksum: directory.readUInt32LE(at + 16),
      packedBytes: directory.readUInt32LE(at + 20),
      bytes: directory.readUInt32LE(at + 24),
      localOffset: directory.readUInt32LE(at + 42),
    };
    at += CENTRAL_BYTES + nameBytes + extraBytes + commentBytes;
  }
}

/** Archives made on Unix tell the file's type; others leave it at 0 and mark folders by the name. */
function kindOf(name: string, unixMode: number): ArchiveEntry["kind"] {
  const type = unixMode & FILE_TYPE_MASK;
  if (type !== 0 && type !== REGULAR_FILE && type !== FOLDER) return "other";
  return name.endsWith("/") || type === FOLDER ? "folder" : "file";
}

async function* contentOf(path: string, file: FileHandle, entry: CentralEntry): AsyncGenerator<Uint8Array> {
  if (entry.bytes === 0xffffffff || entry.packedBytes === 0xffffffff)
    throw new CommandError("zip archives above 4 GiB are not read; use tar");
  if (entry.method !== STORED && entry.method !== DEFLATED)
    throw new CommandError(`the archive packs ${entry.name} in a way that is not read (${entry.method})`);
  const local = await readAt(file, entry.localOffset, LOCAL_BYTES);
  if (local.length < LOCAL_BYTES || local.readUInt32LE(0) !== LOCAL_SIGNATURE)
    throw damaged(`${entry.name} is not where the directory says`);
  const start = entry.localOffset + LOCAL_BYTES + local.readUInt16LE(26) + local.readUInt16LE(28);
  if (entry.packedBytes === 0) return;
  const packed = createReadStream(path, { start, end: start + entry.packedBytes - 1 });
  const inflate = entry.method === DEFLATED ? createInflateRaw() : null;
  if (inflate !== null) packed.on("error", (error) => inflate.destroy(error)).pipe(inflate);
  let [checksum, given] = [0, 0];
  try {
    for await (const piece of (inflate ?? packed) as AsyncIterable<Buffer>) {
      given += piece.length;
      // What a directory says small may unpack to anything.
      if (given > entry.bytes) throw damaged(`${entry.name} is longer than it says`);
      checksum = crc32(piece, checksum);
      yield piece;
    }
  } catch (cause) {
    throw cause instanceof CommandError
      ? cause
      : damaged(`${entry.name}: ${cause instanceof Error ? cause.message : String(cause)}`);
  } finally {
    packed.destroy();
    inflate?.destroy();
  }
  if (given !== entry.bytes || checksum !== entry.checksum)
    throw damaged(`${entry.name} is not what the directory says`);
}

async function readAt(file: FileHandle, position: number, bytes: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, position);
  return buffer.subarray(0, bytesRead);
}
