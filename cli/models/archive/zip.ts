import { type ZipEntry, zipEntries } from "#common/files/zip";
import { CommandError } from "../../command.js";
import { type ArchiveEntry, readingArchive } from "./archive-entry.js";

const FILE_TYPE_MASK = 0o170000;
const REGULAR_FILE = 0o100000;
const FOLDER = 0o040000;

/** Reads a zip archive in the order of its directory. Throws CommandError where it is damaged or encrypted. */
export async function* readZip(path: string): AsyncGenerator<ArchiveEntry> {
  for await (const entry of readingArchive(zipEntries(path)))
    yield { name: entry.name, kind: kindOf(entry), content: readingArchive(contentOf(entry)) };
}

/** Archives made on Unix tell the file's type; others leave it at 0 and mark folders by the name. */
function kindOf({ name, externalFileAttributes }: ZipEntry): ArchiveEntry["kind"] {
  const type = (externalFileAttributes >>> 16) & FILE_TYPE_MASK;
  if (type !== 0 && type !== REGULAR_FILE && type !== FOLDER) return "other";
  return name.endsWith("/") || type === FOLDER ? "folder" : "file";
}

async function* contentOf(entry: ZipEntry): AsyncGenerator<Uint8Array> {
  if (!entry.isReadable)
    throw new CommandError(`the archive encrypts ${entry.name}, or packs it in a way that is not read`);
  yield* entry.content();
}
