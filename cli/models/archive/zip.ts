import { crc32 } from "node:zlib";
import { type Entry, openPromise, type ZipFile } from "yauzl";
import { CommandError } from "../../command.js";
import { type ArchiveEntry, readingArchive } from "./archive-entry.js";

const FILE_TYPE_MASK = 0o170000;
const REGULAR_FILE = 0o100000;
const FOLDER = 0o040000;

/**
 * Reads a zip archive in the order of its directory, the only part of it that counts. Throws CommandError where it is
 * damaged or encrypted.
 */
export async function* readZip(path: string): AsyncGenerator<ArchiveEntry> {
  for await (const [archive, entry] of readingArchive(entriesOf(path))) {
    // As it stands: the decoded form would have its backslashes mended.
    const name = entry.fileNameRaw.toString("utf8");
    yield { name, kind: kindOf(name, entry), content: readingArchive(contentOf(archive, entry, name)) };
  }
}

async function* entriesOf(path: string): AsyncGenerator<[ZipFile, Entry]> {
  const archive = await openPromise(path, { decodeStrings: false, validateEntrySizes: false });
  for await (const entry of archive.eachEntry()) yield [archive, entry];
}

/** Archives made on Unix tell the file's type; others leave it at 0 and mark folders by the name. */
function kindOf(name: string, entry: Entry): ArchiveEntry["kind"] {
  const type = (entry.externalFileAttributes >>> 16) & FILE_TYPE_MASK;
  if (type !== 0 && type !== REGULAR_FILE && type !== FOLDER) return "other";
  return name.endsWith("/") || type === FOLDER ? "folder" : "file";
}

/** The library does not compare the checksum, and names no entry where a length is wrong: both are checked here. */
async function* contentOf(archive: ZipFile, entry: Entry, name: string): AsyncGenerator<Uint8Array> {
  if (!entry.canDecodeFileData())
    throw new CommandError(`the archive encrypts ${name}, or packs it in a way that is not read`);
  let [checksum, bytes] = [0, 0];
  for await (const piece of (await archive.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) {
    bytes += piece.length;
    // What a directory says small may unpack to anything.
    if (bytes > entry.uncompressedSize) throw new Error(`${name} is longer than it says`);
    checksum = crc32(piece, checksum);
    yield piece;
  }
  if (bytes !== entry.uncompressedSize || checksum !== entry.crc32)
    throw new Error(`${name} is not what the directory says`);
}
