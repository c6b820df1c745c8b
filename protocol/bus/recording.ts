import { z } from "zod";
import { decodeMsgpack, encodeMsgpack } from "../msgpack.js";

/*
 * How recordings of conversations are stored. A recording has two tracks on one time line, which begins when the caller
 * joins and is counted in frames of 20 ms. While the conversation lasts, its runtime stores a segment every few
 * seconds; at its end the control plane joins them to one Ogg file for each track, which edges serve.
 *
 *     recording-segments   {session}/{attempt}/0, 1, 2 …   and   {session}/{attempt}/end
 *     recordings           {session}/{role}/0, 1, 2 …      256 KiB each: a range of a file is read without the rest
 *
 * Where an S3 store is set, a file is one object there, `recordings/{session}/{session}-{role}.ogg`, and clients get it
 * from the store itself.
 */

export const recordingRoles = ["agent", "user"] as const;
export type RecordingRole = (typeof recordingRoles)[number];

export const RECORDING_FRAME_MS = 20;

/** Segments that nobody has joined by then are not needed any more. */
export const recordingSegmentsBucket = { name: "recording-segments", maxAgeMs: 48 * 3_600_000 };

export const recordingsBucket = { name: "recordings", maxAgeMs: 0 };

/** Size of the objects of a file but for its last one. */
export const RECORDING_PART_BYTES = 256 * 1024;

const packets = z.array(z.custom<Uint8Array>((value) => value instanceof Uint8Array));

const recordingSegment = z.object({ startFrame: z.int().min(0), packets: z.object({ agent: packets, user: packets }) });
/** A stretch of both tracks: one Opus packet (RFC 6716), mono, for each frame from `startFrame` on. */
export type RecordingSegment = z.output<typeof recordingSegment>;

export function encodeSegment(segment: RecordingSegment): Uint8Array {
  return encodeMsgpack(segment);
}

/** Throws for bytes that are no segment. */
export function decodeSegment(bytes: Uint8Array): RecordingSegment {
  return recordingSegment.parse(decodeMsgpack(bytes));
}

export const recordingSegmentName = (sessionId: string, attempt: number, index: number): string =>
  `${sessionId}/${attempt}/${index}`;

/** An object that says that the conversation ended in this attempt, and that all of its segments are stored. */
export const recordingEndName = (sessionId: string, attempt: number): string => `${sessionId}/${attempt}/end`;

export const recordingPartName = (sessionId: string, role: RecordingRole, part: number): string =>
  `${sessionId}/${role}/${part}`;

/** What a track is called where it is downloaded. */
export const recordingFileName = (sessionId: string, role: RecordingRole): string => `${sessionId}-${role}.ogg`;

/** Asks the control plane what a download address leads to (`controlSubjects.openRecording`). */
export interface OpenRecordingRequest {
  sessionId: string;
  /** As in the address. */
  role: string;
  expires: string;
  signature: string;
}

/** A file that may be downloaded. An address that is wrong or expired is the error `recording_not_found`. */
export interface OpenRecordingReply {
  role: RecordingRole;
  bytes: number;
  /** Where the store itself gives it, for as long as the address that was asked about; null where the edge reads it. */
  address: string | null;
}
