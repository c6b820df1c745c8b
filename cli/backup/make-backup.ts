import { existsSync, linkSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { controlSubjects, SNAPSHOT_FOLDER, type SnapshotReply, type SnapshotRequest } from "#protocol/bus/control";
import type { Bus } from "#common/bus/bus";
import { STAMP_FILE } from "#common/data-directory/stamp";
import { LockedError, takeLock } from "#common/files/file-lock";
import { newIdentifier } from "#common/identifier";
import { version } from "#common/version";
import { askOver } from "../ask-control-plane.js";
import { CommandError } from "../command.js";
import { type ArchiveWriter, createArchive } from "./archive-writer.js";
import { BACKUP_FORMAT, DATA_FOLDER, type Manifest, MANIFEST_FILE, OBJECTS_FOLDER, storedBuckets } from "./manifest.js";

/** A database of gigabytes on a slow disk. */
const SNAPSHOT_MS = 600_000;

/** What lies in the data directory beside the stores: by which it is known, keys, and models that were added. */
const files = [STAMP_FILE, "api-key", "secret-key", "models"];

export interface BackupOptions {
  bus: Bus;
  dataDirectory: string;
  /** Where the backup goes; nothing may be there. */
  file: string;
  /** Of the setting, where the bus is not the cluster's own. */
  natsUrl: string | null;
  /** Whether a backup is wanted of a cluster that has a part of its data in other servers. */
  isPartial: boolean;
  now: () => Date;
}

export interface MadeBackup {
  objects: number;
  /** In words. */
  leftOut: string[];
}

/**
 * Writes a backup of the running cluster. Objects are copied before the database is and once more after it: what a
 * record names that was there at any moment of the backup is in it. Throws CommandError.
 */
export async function makeBackup(options: BackupOptions): Promise<MadeBackup> {
  const { dataDirectory, file } = options;
  if (existsSync(file)) throw new CommandError(`${file} is there already; choose another name`);
  const unlock = lock(dataDirectory);
  const draft = join(dirname(file), `.${basename(file)}.${newIdentifier().slice(0, 12)}.part`);
  try {
    const made = await writeBackup(options, draft);
    // link, unlike rename, replaces nothing.
    linkSync(draft, file);
    return made;
  } finally {
    await rm(join(dataDirectory, SNAPSHOT_FOLDER), { recursive: true, force: true });
    rmSync(draft, { force: true });
    unlock();
  }
}

function lock(dataDirectory: string): () => void {
  try {
    return takeLock(join(dataDirectory, "backup.lock"));
  } catch (cause) {
    if (!(cause instanceof LockedError)) throw cause;
    throw new CommandError(`another backup of ${dataDirectory} is being made`, undefined, { cause });
  }
}

async function writeBackup(options: BackupOptions, draft: string): Promise<MadeBackup> {
  const { bus, dataDirectory, natsUrl, isPartial, now } = options;
  const ask = (request: SnapshotRequest): Promise<SnapshotReply> =>
    askOver<SnapshotReply>(bus, controlSubjects.snapshot, request, SNAPSHOT_MS);
  const stores = await ask({ copies: false });
  const leftOut = elsewhere(stores, natsUrl);
  if (leftOut.length > 0 && !isPartial)
    throw new CommandError(`${leftOut.join("; ")}. For a backup of the rest alone: --partial`);
  const archive = createArchive(draft);
  try {
    const manifest: Manifest = { format: BACKUP_FORMAT, version, madeAt: now().toISOString(), leftOut };
    await archive.addBytes(MANIFEST_FILE, Buffer.from(JSON.stringify(manifest)));
    const objects = new Set<string>();
    if (natsUrl === null) await addObjects(archive, bus, objects);
    if (stores.hasDatabase) {
      await ask({ copies: true });
      const copy = join(dataDirectory, SNAPSHOT_FOLDER);
      if (!existsSync(copy))
        throw new CommandError(`the control plane's copy is not at ${copy}: set PARLEY_DATA_DIR to its own folder`);
      await archive.addTree(`${DATA_FOLDER}/database`, copy);
    }
    if (natsUrl === null) await addObjects(archive, bus, objects);
    for (const name of files.filter((name) => existsSync(join(dataDirectory, name))))
      await archive.addTree(`${DATA_FOLDER}/${name}`, join(dataDirectory, name));
    await archive.finish();
    return { objects: objects.size, leftOut };
  } catch (error) {
    archive.abandon();
    throw error;
  }
}

/** What no backup can hold, since other servers have it. */
function elsewhere({ hasDatabase, hasObjectStore }: SnapshotReply, natsUrl: string | null): string[] {
  return [
    ...(hasDatabase ? [] : ["records are in the Postgres server at DATABASE_URL: back them up with pg_dump"]),
    ...(hasObjectStore ? ["recordings and voices are in the S3 store: back them up with its own tools"] : []),
    ...(natsUrl === null ? [] : ["objects are in the NATS server at NATS_URL: back them up with nats account backup"]),
  ];
}

/** Adds the objects that are not in the archive yet, and to `added`. */
async function addObjects(archive: ArchiveWriter, bus: Bus, added: Set<string>): Promise<void> {
  for (const bucket of storedBuckets) {
    const objects = bus.objects(bucket);
    for (const name of await objects.names()) {
      const path = `${OBJECTS_FOLDER}/${bucket.name}/${encodeURIComponent(name)}`;
      if (added.has(path)) continue;
      const bytes = await objects.get(name);
      // Deleted since it was listed.
      if (bytes === null) continue;
      await archive.addBytes(path, bytes);
      added.add(path);
    }
  }
}
