import { join } from "node:path";
import { freeBytes } from "#common/files/disk-error";
import { bytesBelow } from "#common/files/folder-size";

/** The share of the disk that JetStream may take; nats-server's own default, of what is free when it starts. */
const SHARE = 0.75;

/** What releases that did not write it down may have let JetStream reserve: the streams of usage and of spans. */
const EARLIER_RESERVATIONS_BYTES = 2 * 1024 ** 3;

/**
 * Decides how much JetStream may store. A stream reserves room when it is made, and a server that was given less than
 * all reservations together leaves the last streams out, with what is in them: so it is never less than it was before.
 */
export function fileStoreBytes(disk: { freeBytes: number; usedBytes: number }, earlierBytes: number | null): number {
  return Math.max(earlierBytes ?? 0, Math.floor(SHARE * (disk.freeBytes + disk.usedBytes)));
}

/**
 * As above, for the store of the server whose folder is `folder`. `recordedBytes` is what was decided last time, null
 * where nobody wrote it down.
 */
export function sizeFileStore(folder: string, recordedBytes: number | null): number {
  const usedBytes = bytesBelow(join(folder, "jetstream"));
  const earlierBytes = recordedBytes ?? (usedBytes > 0 ? EARLIER_RESERVATIONS_BYTES : null);
  return fileStoreBytes({ freeBytes: freeBytes(folder), usedBytes }, earlierBytes);
}
