import {
  decodeSegment,
  recordingEndName,
  type RecordingSegment,
  recordingSegmentName,
  recordingSegmentsBucket,
} from "#protocol/bus/recording";
import type { ObjectStores } from "../storage/stored-bucket.js";
import { type RecordingFiles, recordingFiles } from "./recording-files.js";

/** Where the bytes of recordings are. Every call may throw `dependency_unavailable`. */
export interface RecordingObjects extends RecordingFiles {
  /** Null behind the last one. */
  segment(sessionId: string, attempt: number, index: number): Promise<RecordingSegment | null>;
  /** Whether the runtime said that it has stored everything. */
  hasEnd(sessionId: string, attempt: number): Promise<boolean>;
  /** Deletes what the runtimes stored: so many segments of each, the first attempt's first. */
  deleteSegments(sessionId: string, counts: readonly number[]): Promise<void>;
}

/** Segments are always in the bus's object store: they are many, small, and soon joined. */
export function recordingObjects(stores: ObjectStores): RecordingObjects {
  const segments = stores.bus.objects(recordingSegmentsBucket);
  return {
    ...recordingFiles(stores),
    async segment(sessionId, attempt, index) {
      const bytes = await segments.get(recordingSegmentName(sessionId, attempt, index));
      return bytes === null ? null : decodeSegment(bytes);
    },
    hasEnd: async (sessionId, attempt) => (await segments.get(recordingEndName(sessionId, attempt))) !== null,
    async deleteSegments(sessionId, counts) {
      for (const [position, count] of counts.entries()) {
        for (let index = 0; index < count; index++)
          await segments.delete(recordingSegmentName(sessionId, position + 1, index));
        await segments.delete(recordingEndName(sessionId, position + 1));
      }
    },
  };
}
