import { crc32 } from "node:zlib";
import { type Entry, openPromise, type ZipFile } from "yauzl";

/** One entry of a zip archive. */
export interface ZipEntry {
  /** As it stands: a decoded form would have its backslashes mended. */
  name: string;
  /** Archives made on Unix have the file's mode in the upper half; others leave it at 0. */
  externalFileAttributes: number;
  /** Length that the directory states. */
  bytes: number;
  /** Whether it is neither encrypted nor packed in a way that is not read. */
  isReadable: boolean;
  /** What is in it. Throws where that is not what the directory says; read before the next entry is asked for. */
  content(): AsyncGenerator<Uint8Array>;
}

/** Reads a zip archive in the order of its directory, the only part of it that counts. Throws where it is damaged. */
export async function* zipEntries(path: string): AsyncGenerator<ZipEntry> {
  const archive = await openPromise(path, { decodeStrings: false, validateEntrySizes: false });
  for await (const entry of archive.eachEntry()) {
    const name = entry.fileNameRaw.toString("utf8");
    yield {
      name,
      externalFileAttributes: entry.externalFileAttributes,
      bytes: entry.uncompressedSize,
      isReadable: entry.canDecodeFileData(),
      content: () => contentOf(archive, entry, name),
    };
  }
}

/** The library does not compare the checksum, and names no entry where a length is wrong: both are checked here. */
async function* contentOf(archive: ZipFile, entry: Entry, name: string): AsyncGenerator<Uint8Array> {
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
