import {
  RECORDING_PART_BYTES,
  recordingFileName,
  recordingPartName,
  type RecordingRole,
  recordingRoles,
  recordingsBucket,
} from "#protocol/bus/recording";
import type { S3Client } from "#common/objects/s3-client";
import { type ObjectStores, s3KeyOf } from "../storage/stored-bucket.js";
import { PartWriter } from "./part-writer.js";

/** The least that S3 takes as a part of an object, but for the last one. */
const S3_PART_BYTES = 5 * 1024 * 1024;

const CONTENT_TYPE = "audio/ogg";

/** The file of a track while it is written; a part of it is in memory. */
export interface RecordingFile {
  write(pages: readonly Uint8Array[]): Promise<void>;
  /** Stores the rest; gives the length of the file. */
  finish(): Promise<number>;
  /** Gives up what is not finished, as far as the store lets it; never rejects. */
  discard(): Promise<void>;
}

/** The finished tracks of recordings: objects of the bus, or one object each in an S3 store. */
export interface RecordingFiles {
  openFile(sessionId: string, role: RecordingRole): RecordingFile;
  /**
   * Where the store itself gives a track to whoever has the address, until `expiresAt`; null where an edge reads it
   * from the bus.
   */
  address(sessionId: string, role: RecordingRole, expiresAt: Date): Promise<string | null>;
  /** Deletes the files, of these lengths. */
  deleteFiles(sessionId: string, bytes: Record<RecordingRole, number>): Promise<void>;
}

const keyOf = (sessionId: string, role: RecordingRole): string =>
  s3KeyOf(recordingsBucket, `${sessionId}/${recordingFileName(sessionId, role)}`);

/** Files that were written before there was an S3 store are found in the bus's, and deleted there. */
export function recordingFiles({ bus, s3 }: ObjectStores): RecordingFiles {
  const objects = bus.objects(recordingsBucket);
  const openInBus = (sessionId: string, role: RecordingRole): RecordingFile => {
    const writer = new PartWriter(RECORDING_PART_BYTES, (part, bytes) =>
      objects.put(recordingPartName(sessionId, role, part), bytes),
    );
    return { write: (pages) => writer.write(pages), finish: () => writer.finish(), discard: () => Promise.resolve() };
  };
  return {
    openFile: (sessionId, role) => (s3 === null ? openInBus(sessionId, role) : openInS3(s3, keyOf(sessionId, role))),
    async address(sessionId, role, expiresAt) {
      const key = keyOf(sessionId, role);
      if (s3 === null || (await s3.size(key)) === null) return null;
      const fileName = recordingFileName(sessionId, role);
      return await s3.downloadAddress(key, { fileName, contentType: CONTENT_TYPE, expiresAt });
    },
    async deleteFiles(sessionId, bytes) {
      for (const role of recordingRoles) {
        await s3?.delete(keyOf(sessionId, role));
        for (let part = 0; part * RECORDING_PART_BYTES < bytes[role]; part++)
          await objects.delete(recordingPartName(sessionId, role, part));
      }
    },
  };
}

/** A short file is sent at once, a longer one in parts as they fill. */
function openInS3(s3: S3Client, key: string): RecordingFile {
  let uploadId: string | null = null;
  const tags: string[] = [];
  const writer = new PartWriter(S3_PART_BYTES, async (part, bytes, isLast) => {
    if (part === 0 && isLast) return await s3.put(key, bytes, CONTENT_TYPE);
    uploadId ??= await s3.beginUpload(key, CONTENT_TYPE);
    tags.push(await s3.putPart(key, uploadId, part + 1, bytes));
    if (!isLast) return;
    await s3.completeUpload(key, uploadId, tags);
    uploadId = null;
  });
  return {
    write: (pages) => writer.write(pages),
    finish: () => writer.finish(),
    async discard() {
      // A store that is away keeps the parts; docs/object-storage.md "The bucket" says which rule deletes them.
      if (uploadId !== null) await s3.abortUpload(key, uploadId).catch(() => undefined);
    },
  };
}
