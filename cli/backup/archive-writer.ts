import { createHash } from "node:crypto";
import { createReadStream, createWriteStream, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { pack } from "tar-stream";
import { PRIVATE_FILE, PRIVATE_FOLDER } from "#common/files/durable-file";
import { hashed } from "./hashed.js";
import { CHECKSUMS_FILE } from "./manifest.js";

/** The database shrinks to a seventh at the quickest level, and further levels win little. */
const GZIP_LEVEL = 1;

/** An archive while it is written, one entry at a time. */
export interface ArchiveWriter {
  addBytes(name: string, bytes: Uint8Array): Promise<void>;
  /** A file, or a folder with all that is below it; links are left out. */
  addTree(name: string, path: string): Promise<void>;
  /** Writes the checksums; resolves when the file is whole. */
  finish(): Promise<void>;
  /** Gives it up; what was written stays. */
  abandon(): void;
}

/** Begins an archive in a new file, for its owner alone. */
export function createArchive(file: string): ArchiveWriter {
  const archive = pack();
  const checksums: Record<string, string> = {};
  const written = pipeline(
    archive,
    createGzip({ level: GZIP_LEVEL }),
    createWriteStream(file, { flags: "wx", mode: PRIVATE_FILE, flush: true }),
  );
  // The entry that is being written when it fails throws the same.
  written.catch(() => undefined);

  async function addFile(name: string, bytes: number, content: AsyncIterable<Uint8Array>): Promise<void> {
    const hash = createHash("sha256");
    await pipeline(Readable.from(hashed(content, hash)), archive.entry({ name, size: bytes, mode: PRIVATE_FILE }));
    checksums[name] = hash.digest("hex");
  }
  const addBytes = (name: string, bytes: Uint8Array): Promise<void> =>
    addFile(name, bytes.byteLength, Readable.from([bytes]));

  async function addTree(name: string, path: string): Promise<void> {
    if (!statSync(path).isDirectory()) return await addFile(name, statSync(path).size, createReadStream(path));
    archive.entry({ name: `${name}/`, type: "directory", mode: PRIVATE_FOLDER });
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      if (entry.isFile() || entry.isDirectory()) await addTree(`${name}/${entry.name}`, join(path, entry.name));
    }
  }

  return {
    addBytes,
    addTree,
    async finish() {
      await addBytes(CHECKSUMS_FILE, Buffer.from(JSON.stringify(checksums)));
      archive.finalize();
      await written;
    },
    abandon: () => archive.destroy(),
  };
}
