import { dirname } from "node:path";
import { NEW_DATABASE_BYTES, WRITE_RESERVE_BYTES } from "#common/data-directory/room";
import { freeBytes } from "#common/files/disk-error";

const MIB = 1024 * 1024;

/** Thrown when the disk has no room to begin with; `message` says how much is wanted. */
class DiskRoomError extends Error {
  override readonly name = "DiskRoomError";
}

/**
 * Throws DiskRoomError unless the disk of `directory`, which may not be there yet, has room for a database that is
 * opened, or made first.
 */
export function requireRoom(directory: string, isMade: boolean): void {
  const wanted = isMade ? WRITE_RESERVE_BYTES : NEW_DATABASE_BYTES;
  const free = freeBytes(dirname(directory));
  if (free >= wanted) return;
  const purpose = isMade ? "opening the database" : "a new database";
  throw new DiskRoomError(
    `the disk of ${directory} has ${megabytes(free)} free, and ${purpose} needs ${megabytes(wanted)}: make room`,
  );
}

/** Whether the database should be left alone with writes. */
export function isShort(directory: string): boolean {
  return freeBytes(directory) < WRITE_RESERVE_BYTES;
}

function megabytes(bytes: number): string {
  return `${Math.floor(bytes / MIB)} MiB`;
}
