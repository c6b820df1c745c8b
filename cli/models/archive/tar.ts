import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { extract } from "tar-stream";
import { CommandError } from "../../command.js";
import { type ArchiveEntry, readingArchive } from "./archive-entry.js";

/**
 * Reads a tar archive front to back, through gunzip where it is packed. Throws CommandError where it is damaged or ends
 * too early.
 */
export async function* readTar(path: string, isPacked: boolean): AsyncGenerator<ArchiveEntry> {
  const reader = extract();
  const file = createReadStream(path);
  const feeding = isPacked ? pipeline(file, createGunzip(), reader) : pipeline(file, reader);
  // The reader throws the same error.
  feeding.catch(() => undefined);
  for await (const entry of readingArchive(reader)) {
    const { name, type, size } = entry.header;
    // The library takes a size that is no number for one, and its entry would never end.
    if (!Number.isSafeInteger(size)) throw new CommandError("the archive is damaged: an entry has no size");
    const kind =
      type === "directory" ? "folder" : type === "file" || type === "contiguous-file" ? "file" : ("other" as const);
    yield { name, kind, content: readingArchive(entry as AsyncIterable<Uint8Array>) };
    // The next entry comes after the whole content, read or not.
    entry.resume();
  }
}
