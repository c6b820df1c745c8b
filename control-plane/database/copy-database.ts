import { constants, copyFile, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { ServiceError } from "#protocol/errors";
import { WRITE_RESERVE_BYTES } from "#common/data-directory/room";
import { freeBytes } from "#common/files/disk-error";
import { PRIVATE_FOLDER } from "#common/files/durable-file";
import { bytesBelow } from "#common/files/folder-size";

/**
 * Copies the files of a database that nobody writes to, in place of what is at `to`; file systems that share blocks
 * between files copy nothing. Throws `disk_full` where the copy would leave the database itself no room.
 */
export async function copyDatabase(from: string, to: string): Promise<void> {
  await rm(to, { recursive: true, force: true });
  if (freeBytes(from) < bytesBelow(from) + WRITE_RESERVE_BYTES) throw new ServiceError("disk_full");
  try {
    await copyFolder(from, to);
  } catch (error) {
    await rm(to, { recursive: true, force: true });
    throw error;
  }
}

/** All files side by side: everybody who asks the database waits meanwhile. */
async function copyFolder(from: string, to: string): Promise<void> {
  await mkdir(to, { mode: PRIVATE_FOLDER });
  const entries = await readdir(from, { withFileTypes: true });
  await Promise.all(
    entries.map((entry) => {
      const [source, target] = [join(from, entry.name), join(to, entry.name)];
      return entry.isDirectory() ? copyFolder(source, target) : copyFile(source, target, constants.COPYFILE_FICLONE);
    }),
  );
}
