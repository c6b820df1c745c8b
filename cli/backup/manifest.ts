import { z } from "zod";
import { openUsageBucket } from "#protocol/bus/open-usage";
import { recordingSegmentsBucket, recordingsBucket } from "#protocol/bus/recording";
import { voicesBucket } from "#protocol/bus/control";
import type { Bucket } from "#common/bus/bus";

/*
 * A backup is a tar archive, packed with gzip:
 *
 *   parley-backup.json       the manifest, first: what this is
 *   data/…                   files and folders of the data directory, by their paths in it
 *   objects/<bucket>/<name>  what the object store holds; names as encodeURIComponent writes them
 *   checksums.json           last: SHA-256 of every file before it. An archive without it was cut off
 */

/** Raised when an older release could not restore such a backup any more. */
export const BACKUP_FORMAT = 1;

export const MANIFEST_FILE = "parley-backup.json";
export const CHECKSUMS_FILE = "checksums.json";
export const DATA_FOLDER = "data";
export const OBJECTS_FOLDER = "objects";

/** What a backup says of itself. */
export const manifestSchema = z.object({
  format: z.int().min(1),
  /** Of the release that made it. */
  version: z.string(),
  /** ISO 8601. */
  madeAt: z.string(),
  /** What the cluster has elsewhere, and is not in it, in words. */
  leftOut: z.array(z.string()),
});
export type Manifest = z.infer<typeof manifestSchema>;

/** By the path in the archive. */
export const checksumsSchema = z.record(z.string(), z.string().regex(/^[0-9a-f]{64}$/));

/** Objects that somebody misses after a day; bodies on their way are none. */
export const storedBuckets: readonly Bucket[] = [
  voicesBucket,
  recordingsBucket,
  recordingSegmentsBucket,
  openUsageBucket,
];
