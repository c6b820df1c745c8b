import {
  decodeSegment,
  RECORDING_PART_BYTES,
  recordingEndName,
  recordingPartName,
  type RecordingRole,
  recordingRoles,
  type RecordingSegment,
  recordingsBucket,
  recordingSegmentName,
  recordingSegmentsBucket,
} from "#protocol/bus/recording";
import type { Bus } from "#common/bus/bus";

/** Where the bytes of recordings are. Every call may throw `dependency_unavailable`. */
export interface RecordingObjects {
  /** Null behind the last one. */
  segment(sessionId: string, attempt: number, index: number): Promise<RecordingSegment | null>;
  /** Whether the runtime said that it has stored everything. */
  hasEnd(sessionId: string, attempt: number): Promise<boolean>;
  /** Deletes what the runtimes stored: so many segments of each, the first attempt's first. */
  deleteSegments(sessionId: string, counts: readonly number[]): Promise<void>;
  putPart(sessionId: string, role: RecordingRole, part: number, bytes: Uint8Array): Promise<void>;
  /** Deletes the files, of these lengths. */
  deleteFiles(sessionId: string, bytes: Record<RecordingRole, number>): Promise<void>;
}

export function recordingObjects(bus: Pick<Bus, "objects">): RecordingObjects {
  const segments = bus.objects(recordingSegmentsBucket);
  const files = bus.objects(recordingsBucket);
  return {
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
    putPart: (sessionId, role, part, bytes) => files.put(recordingPartName(sessionId, role, part), bytes),
    async deleteFiles(sessionId, bytes) {
      for (const role of recordingRoles)
        for (let part = 0; part * RECORDING_PART_BYTES < bytes[role]; part++)
          await files.delete(recordingPartName(sessionId, role, part));
    },
  };
}

/** Cuts a file into objects, which it stores as they fill. */
export class PartWriter {
  readonly #put: (part: number, bytes: Uint8Array) => Promise<void>;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #parts = 0;
  #bytes = 0;

  constructor(put: (part: number, bytes: Uint8Array) => Promise<void>) {
    this.#put = put;
  }

  async write(pages: readonly Uint8Array[]): Promise<void> {
    for (const page of pages) {
      this.#waiting.push(page);
      this.#waitingBytes += page.byteLength;
    }
    while (this.#waitingBytes >= RECORDING_PART_BYTES) await this.#store(RECORDING_PART_BYTES);
  }

  /** Stores the rest; gives the length of the file. */
  async finish(): Promise<number> {
    if (this.#waitingBytes > 0) await this.#store(this.#waitingBytes);
    return this.#bytes;
  }

  async #store(bytes: number): Promise<void> {
    const joined = Buffer.concat(this.#waiting);
    await this.#put(this.#parts, joined.subarray(0, bytes));
    this.#parts++;
    this.#bytes += bytes;
    this.#waiting = [joined.subarray(bytes)];
    this.#waitingBytes -= bytes;
  }
}
