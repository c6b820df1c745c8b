import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Bus } from "#common/bus/bus";
import { connectNats } from "#common/bus/nats";
import { makeFolder, openDataDirectory } from "#common/data-directory/data-directory";
import { STAMP_FILE } from "#common/data-directory/stamp";
import { diskProblem } from "#common/files/disk-error";
import { moveDurably, PRIVATE_FOLDER } from "#common/files/durable-file";
import { createLogger } from "#common/log";
import { lockDataDirectory } from "#launcher/data-lock";
import { readRunFile } from "#launcher/run-file";
import { startNats } from "#launcher/servers";
import { CommandError } from "../command.js";
import { DATA_FOLDER, type Manifest, OBJECTS_FOLDER, storedBuckets } from "./manifest.js";
import { unpackBackup } from "./unpack-backup.js";

/** Where a backup is unpacked, below the data directory; what a restore that was cut off left there is thrown away. */
const DRAFT_FOLDER = "restoring";

/** What may lie in an empty data directory: leftovers of a restore, and what a volume brings. */
const meaningless = [DRAFT_FOLDER, "launcher.lock", "lost+found"];

export interface RestoreOptions {
  file: string;
  dataDirectory: string;
  /** Of the setting, where the bus is not the cluster's own. */
  natsUrl: string | null;
}

/**
 * Puts a backup into an empty data directory that nobody uses. Until all of it is unpacked and held against its
 * checksums nothing is in its place; the stamp comes last, without which no start takes the folders for its own.
 * Throws CommandError, or LaunchError while somebody uses the directory.
 */
export async function restoreBackup(options: RestoreOptions): Promise<{ manifest: Manifest; objects: number }> {
  const { file, dataDirectory, natsUrl } = options;
  requireEmpty(dataDirectory);
  const unlock = lockDataDirectory(dataDirectory);
  const draft = join(dataDirectory, DRAFT_FOLDER);
  const data = join(draft, DATA_FOLDER);
  try {
    rmSync(draft, { recursive: true, force: true });
    mkdirSync(draft, { mode: PRIVATE_FOLDER });
    const manifest = await unpackBackup(file, draft);
    const objects = existsSync(join(draft, OBJECTS_FOLDER)) ? await storeObjects(draft, natsUrl) : 0;
    const names = readdirSync(data).filter((name) => name !== STAMP_FILE);
    for (const name of [...names, STAMP_FILE]) moveDurably(join(data, name), join(dataDirectory, name));
    return { manifest, objects };
  } catch (error) {
    const problem = diskProblem(error, dataDirectory);
    if (problem !== null)
      throw new CommandError(`cannot write to ${dataDirectory}: ${problem}`, undefined, { cause: error });
    throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
    unlock();
  }
}

function requireEmpty(dataDirectory: string): void {
  mkdirSync(dataDirectory, { recursive: true, mode: PRIVATE_FOLDER });
  if (readRunFile(dataDirectory) !== null)
    throw new CommandError(`a cluster runs on ${dataDirectory}; set PARLEY_DATA_DIR to an empty folder`);
  if (readdirSync(dataDirectory).some((name) => !meaningless.includes(name)))
    throw new CommandError(`${dataDirectory} is not empty; move it away, or set PARLEY_DATA_DIR to another folder`);
}

/** Puts the objects into a JetStream of their own in the draft's data; gives their number. */
async function storeObjects(draft: string, natsUrl: string | null): Promise<number> {
  if (natsUrl !== null)
    throw new CommandError("the backup has objects, which belong into the cluster's own NATS server: unset NATS_URL");
  const { path } = makeFolder(openDataDirectory(join(draft, DATA_FOLDER)), "nats");
  const server = await startNats({ directory: path, logFile: join(draft, "nats.log") });
  try {
    const bus = await connectNats({ url: server.url, name: "parley-restore", log: createLogger("cli", "fatal") });
    try {
      return await putObjects(bus, join(draft, OBJECTS_FOLDER));
    } finally {
      await bus.close();
    }
  } finally {
    await server.stop();
  }
}

async function putObjects(bus: Bus, folder: string): Promise<number> {
  let count = 0;
  for (const bucket of storedBuckets.filter(({ name }) => existsSync(join(folder, name)))) {
    for (const name of readdirSync(join(folder, bucket.name))) {
      await bus.objects(bucket).put(decodeURIComponent(name), readFileSync(join(folder, bucket.name, name)));
      count++;
    }
  }
  return count;
}
