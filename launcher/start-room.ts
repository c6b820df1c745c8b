import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "#common/config/config";
import { NEW_DATABASE_BYTES, WRITE_RESERVE_BYTES } from "#common/data-directory/room";
import { freeBytes } from "#common/files/disk-error";
import { LaunchError } from "./launch-error.js";

const MIB = 1024 * 1024;

/** Keys, configuration and the first lines of the logs. */
const FILES_BYTES = 1 * MIB;

/** What JetStream and the others write beside a database that is being made. */
const BESIDE_BYTES = 16 * MIB;

/**
 * Throws LaunchError where the disk of the data directory has no room for a start: one that goes on would end half way.
 */
export function requireStartRoom(dataDirectory: string, config: Pick<Config, "DATABASE_URL" | "NATS_URL">): void {
  const free = freeBytes(dataDirectory);
  const isFirst = config.DATABASE_URL === null && !existsSync(join(dataDirectory, "database"));
  const needed = isFirst ? NEW_DATABASE_BYTES + BESIDE_BYTES : neededLater(config);
  if (free >= needed) return;
  const [has, needs] = [free, needed].map((bytes) => `${Math.floor(bytes / MIB)} MiB`);
  const start = isFirst ? "a first start" : "a start";
  throw new LaunchError(
    `The disk of ${dataDirectory} has ${has} free, and ${start} needs ${needs}; make room, or set PARLEY_DATA_DIR to a folder on another disk`,
  );
}

function neededLater(config: Pick<Config, "DATABASE_URL" | "NATS_URL">): number {
  const storesHere = config.DATABASE_URL === null || config.NATS_URL === null;
  return storesHere ? WRITE_RESERVE_BYTES : FILES_BYTES;
}
