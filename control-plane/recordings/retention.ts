import type { FinishContext } from "./finish-recordings.js";
import { deleteRecording, recordingsBefore } from "./store.js";

/** Recordings that are deleted at a time; the rest is due at the next look. */
const MOST_AT_ONCE = 50;

/**
 * Deletes recordings that were finished longer ago than they are kept: their objects, then their record, so that what
 * is left in the middle is found by the next call. Rejects where the database or the object store is away.
 */
export async function deleteExpired(
  { db, objects, now, telemetry }: FinishContext,
  retentionMs: number,
): Promise<void> {
  const expired = await recordingsBefore(db, new Date(now().getTime() - retentionMs), MOST_AT_ONCE);
  for (const { sessionId, agentBytes, userBytes } of expired) {
    await objects.deleteFiles(sessionId, { agent: agentBytes ?? 0, user: userBytes ?? 0 });
    await deleteRecording(db, sessionId);
    telemetry.deleted();
  }
}
