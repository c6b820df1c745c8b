import type { RecordingEntity, RecordingTrackEntity } from "#protocol/agents/recording";
import { type RecordingRole, recordingRoles } from "#protocol/bus/recording";
import { isOver } from "../sessions/entity.js";
import type { SessionRow } from "../sessions/tables.js";
import type { RecordingRow } from "./tables.js";

/** Where the tracks of a recording can be downloaded. */
export interface RecordingAddresses {
  urlOf(role: RecordingRole): string;
  expiresAt: Date;
}

const errorMessages: Readonly<Record<NonNullable<RecordingRow["errorCode"]>, string>> = {
  no_audio: "Nothing of the recording was stored",
  storage_failed: "The recording could not be read from or written to the object store",
};

const emptyTrack = {
  ...{ url: null, expires_at: null, duration_ms: null, started_at: null, ended_at: null },
  ...{ error: null, error_code: null },
} satisfies Partial<RecordingTrackEntity>;

/**
 * The recording of a session as the API shows it; null where there is none: the session was never recorded, nobody
 * joined it, or the recording is deleted. `row` is its record, which is made when the session is over.
 */
export function toRecordingEntity(
  session: Pick<SessionRow, "id" | "status" | "startedAt" | "plan">,
  row: RecordingRow | null,
  addresses: RecordingAddresses,
): RecordingEntity | null {
  const startedAt = (row?.startedAt ?? session.startedAt)?.toISOString() ?? null;
  const entity = (
    status: RecordingEntity["status"],
    track: (role: RecordingRole) => Partial<RecordingTrackEntity>,
  ) => ({
    session_id: session.id,
    status,
    tracks: recordingRoles.map((role) => ({
      ...emptyTrack,
      role,
      status: "requested" as const,
      started_at: startedAt,
      ...track(role),
    })),
    ...{ error: null, error_code: null, error_message: null },
  });
  if (row === null) {
    if (isOver(session) || !session.plan.recordsAudio) return null;
    return entity("processing", () => ({ status: startedAt === null ? "requested" : "active" }));
  }
  if (row.status === "processing") return entity("processing", () => ({ status: "active" }));
  if (row.status === "failed" || row.durationMs === null) {
    const code = row.errorCode ?? "storage_failed";
    const failed = { error: errorMessages[code], error_code: code };
    return {
      ...entity("failed", () => ({ status: "failed", ...failed })),
      ...{ ...failed, error_message: errorMessages[code] },
    };
  }
  const done = {
    status: "complete" as const,
    expires_at: addresses.expiresAt.toISOString(),
    duration_ms: row.durationMs,
    ended_at: new Date(row.startedAt.getTime() + row.durationMs).toISOString(),
  };
  return entity("complete", (role) => ({ ...done, url: addresses.urlOf(role) }));
}
