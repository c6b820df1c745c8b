import { join } from "node:path";
import { z } from "zod";
import { SNAPSHOT_FOLDER, type SnapshotReply } from "#protocol/bus/control";
import { validate } from "#common/http/validation";

/** What a snapshot is made of. */
export interface SnapshotSources {
  /** Copies the embedded database; null where a server has it. */
  copyDatabase: ((folder: string) => Promise<void>) | null;
  dataDirectory: string;
  hasObjectStore: boolean;
}

/** How long usage that waits on the bus may take to be booked. */
const BOOKING_MS = 30_000;

const snapshotRequest = z.object({ copies: z.boolean() });

/**
 * Says where the stores are, and copies the embedded database for a backup if it is asked to, once all usage is booked
 * in it that had been reported by then. Throws `dependency_unavailable` where that takes too long, and `disk_full`.
 */
export async function takeSnapshot(
  { copyDatabase, dataDirectory, hasObjectStore }: SnapshotSources,
  usageBooked: (withinMs: number) => Promise<void>,
  question: unknown,
): Promise<SnapshotReply> {
  const { copies } = validate(snapshotRequest, question);
  if (copies && copyDatabase !== null) {
    await usageBooked(BOOKING_MS);
    await copyDatabase(join(dataDirectory, SNAPSHOT_FOLDER));
  }
  return { hasDatabase: copyDatabase !== null, hasObjectStore };
}
