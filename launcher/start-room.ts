import type { Config } from "#common/config/config";
import { freeBytes } from "#common/files/disk-error";
import { LaunchError } from "./launch-error.js";

const MIB = 1024 * 1024;

/** Less than this, and a start would end half way: what the embedded database and JetStream write when they are opened. */
const STORES_BYTES = 32 * MIB;

/** Keys, configuration and the first lines of the logs. */
const FILES_BYTES = 1 * MIB;

/** Throws LaunchError where the disk of the data directory has no room for a start. */
export function requireStartRoom(dataDirectory: string, config: Pick<Config, "DATABASE_URL" | "NATS_URL">): void {
  const free = freeBytes(dataDirectory);
  const needed = config.DATABASE_URL === null || config.NATS_URL === null ? STORES_BYTES : FILES_BYTES;
  if (free >= needed) return;
  const [has, needs] = [free, needed].map((bytes) => `${Math.floor(bytes / MIB)} MiB`);
  throw new LaunchError(`The disk of ${dataDirectory} has ${has} free, and a start needs ${needs}; make room, or set PARLEY_DATA_DIR to a folder on another disk`);
}
