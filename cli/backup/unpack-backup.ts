import { createHash } from "node:crypto";
import { createWriteStream, mkdirSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { text as readText } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { diskProblem } from "#common/files/disk-error";
import { PRIVATE_FILE, PRIVATE_FOLDER } from "#common/files/durable-file";
import { sha256Hex } from "#common/identifier";
import { CommandError } from "../command.js";
import type { ArchiveEntry } from "../models/archive/archive-entry.js";
import { entryPath } from "../models/archive/entry-path.js";
import { readTar } from "../models/archive/tar.js";
import { hashed } from "./hashed.js";
import {
  BACKUP_FORMAT,
  CHECKSUMS_FILE,
  checksumsSchema,
  MANIFEST_FILE,
  type Manifest,
  manifestSchema,
} from "./manifest.js";

/** Names of objects are a part of it, and are encoded. */
const pathLimits = { pathCharacters: 1000, folderDepth: 24 };

const gzipMagic = Buffer.from([0x1f, 0x8b]);

/**
 * Unpacks a backup into a folder that is there and empty, and holds every file against its checksum. Throws
 * CommandError for what is no backup, one of a newer release, and one that is cut off or was changed; what was unpacked
 * by then stays.
 */
export async function unpackBackup(file: string, into: string): Promise<Manifest> {
  if (!(await firstBytes(file, gzipMagic.length)).equals(gzipMagic)) throw noBackup(file);
  const entries = readTar(file, true);
  try {
    const first = await entries.next().catch(() => null);
    if (first === null || first.done === true || first.value.name !== MANIFEST_FILE) throw noBackup(file);
    const text = await readText(first.value.content).catch(() => "");
    const manifest = readManifest(file, text);
    await unpackRest(file, entries, { into, found: { [MANIFEST_FILE]: sha256Hex(text) } });
    return manifest;
  } finally {
    await entries.return(undefined);
  }
}

const noBackup = (file: string): CommandError => new CommandError(`${file} is not a backup of Parley`);

/** What is wrong with it makes no difference to whoever has it: another one is needed. */
const damaged = (file: string, why: string, cause?: unknown): CommandError =>
  new CommandError(`${file} is cut off or damaged: ${why}`, undefined, { cause });

async function firstBytes(file: string, count: number): Promise<Buffer> {
  const opened = await open(file, "r").catch((cause: unknown) => {
    throw new CommandError(`${file} cannot be read: ${(cause as Error).message}`, undefined, { cause });
  });
  try {
    const { buffer, bytesRead } = await opened.read(Buffer.alloc(count), 0, count, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await opened.close();
  }
}

function readManifest(file: string, text: string): Manifest {
  let manifest: Manifest;
  try {
    manifest = manifestSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw damaged(file, "what it says of itself cannot be read", cause);
  }
  if (manifest.format > BACKUP_FORMAT)
    throw new CommandError(
      `${file} was made by a newer release, Parley ${manifest.version} (format ${manifest.format}; this one knows ${BACKUP_FORMAT})`,
    );
  return manifest;
}

async function unpackRest(
  file: string,
  entries: AsyncIterable<ArchiveEntry>,
  { into, found }: { into: string; found: Record<string, string> },
): Promise<void> {
  let expected: Record<string, string> | null = null;
  try {
    for await (const entry of entries) {
      const path = join(into, entryPath(entry.name, pathLimits));
      if (entry.name === CHECKSUMS_FILE) expected = checksumsSchema.parse(JSON.parse(await readText(entry.content)));
      else if (entry.kind === "folder") mkdirSync(path, { recursive: true, mode: PRIVATE_FOLDER });
      else found[entry.name] = await unpackFile(entry, path);
    }
  } catch (cause) {
    // A full disk says nothing about the backup.
    if (diskProblem(cause) !== null) throw cause;
    throw damaged(file, cause instanceof Error ? cause.message : String(cause), cause);
  }
  if (expected === null) throw damaged(file, "its end is missing");
  const names = new Set([...Object.keys(expected), ...Object.keys(found)]);
  for (const name of names)
    if (expected[name] !== found[name]) throw damaged(file, `${name} is not what was backed up`);
}

/** Gives its SHA-256. */
async function unpackFile(entry: ArchiveEntry, path: string): Promise<string> {
  const hash = createHash("sha256");
  mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_FOLDER });
  await pipeline(hashed(entry.content, hash), createWriteStream(path, { flags: "wx", mode: PRIVATE_FILE }));
  return hash.digest("hex");
}
