import { z } from "zod";
import { recordingRoles } from "../bus/recording.js";
import { timestamp } from "./text.js";

export const recordingStatuses = ["processing", "complete", "failed"] as const;
const recordingTrackStatuses = ["requested", "active", "complete", "failed"] as const;

const track = z.object({
  /** `human` is for people that calls are transferred to. */
  role: z.enum([...recordingRoles, "human"]),
  status: z.enum(recordingTrackStatuses),
  /** Where the track can be downloaded, without a key, until `expires_at`; null until it is complete. */
  url: z.string().nullable(),
  expires_at: timestamp.nullable(),
  /** Both tracks are equally long: they begin and end with the recording. */
  duration_ms: z.int().nullable(),
  started_at: timestamp.nullable(),
  ended_at: timestamp.nullable(),
  error: z.string().nullable(),
  error_code: z.string().nullable(),
});
export type RecordingTrackEntity = z.output<typeof track>;

/** Answer of `GET /v1/agent/sessions/{session_id}/recording`. */
export const recordingEntity = z.object({
  session_id: z.string(),
  status: z.enum(recordingStatuses),
  tracks: z.array(track),
  error: z.string().nullable(),
  error_code: z.string().nullable(),
  error_message: z.string().nullable(),
});
export type RecordingEntity = z.output<typeof recordingEntity>;

/** Query of a download address. What is missing or wrong makes it an address that leads nowhere. */
export const recordingTrackQuery = z.object({
  /** Seconds since 1970. */
  expires: z.string().optional(),
  signature: z.string().optional(),
});
