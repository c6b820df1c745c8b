import { and, eq, isNotNull, lt, ne, sql } from "drizzle-orm";
import type { RecordingRole } from "#protocol/bus/recording";
import type { Db } from "../database/database.js";
import { latestFrom } from "../set-clock.js";
import { agentRecordings, type RecordingRow } from "./tables.js";

/** How long an instance that joins a recording may say nothing before another one does. */
export const LEASE_MS = 60_000;

/** A runtime that does not say in this time that it has stored everything is gone. */
const LAST_SEGMENT_MS = 30_000;

const after = (at: Date, ms: number): Date => new Date(at.getTime() + ms);

/** Notes that a session whose conversation was recorded is over, so that its recording is finished. */
export async function insertRecording(
  tx: Db,
  session: { id: string; startedAt: Date; attempt: number },
  now: Date,
): Promise<void> {
  await tx
    .insert(agentRecordings)
    .values({
      sessionId: session.id,
      status: "processing",
      runtimeAttempts: session.attempt,
      startedAt: session.startedAt,
      dueAt: now,
      giveUpAt: after(now, LAST_SEGMENT_MS),
      joinAttempt: 0,
    });
}

/** The recording of a session that is over; null where it has none. */
export async function findRecording(db: Db, sessionId: string): Promise<RecordingRow | null> {
  const [row] = await db.select().from(agentRecordings).where(eq(agentRecordings.sessionId, sessionId));
  return row ?? null;
}

/** Takes a recording that is due, so that no other instance does; null where none is. */
export async function claimRecording(db: Db, now: Date): Promise<RecordingRow | null> {
  const due = sql`(SELECT session_id FROM agent_recordings WHERE status = 'processing'
    AND (due_at <= ${now.toISOString()}::timestamptz OR due_at > ${latestFrom(now, LEASE_MS).toISOString()}::timestamptz) ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED)`;
  const [row] = await db
    .update(agentRecordings)
    .set({ dueAt: after(now, LEASE_MS), joinAttempt: sql`${agentRecordings.joinAttempt} + 1` })
    .where(eq(agentRecordings.sessionId, due))
    .returning();
  return row ?? null;
}

const asClaimed = ({ sessionId, joinAttempt }: Pick<RecordingRow, "sessionId" | "joinAttempt">) =>
  and(
    eq(agentRecordings.sessionId, sessionId),
    eq(agentRecordings.joinAttempt, joinAttempt),
    eq(agentRecordings.status, "processing"),
  );

/** Sets when a claimed recording is due again; false where another instance has it by now. */
export async function putOff(db: Db, row: RecordingRow, dueAt: Date): Promise<boolean> {
  const changed = await db
    .update(agentRecordings)
    .set({ dueAt })
    .where(asClaimed(row))
    .returning({ id: agentRecordings.sessionId });
  return changed.length === 1;
}

/** Notes that the files of a claimed recording are stored; false where another instance has it by now. */
export async function completeRecording(
  db: Db,
  row: RecordingRow,
  { durationMs, bytes }: { durationMs: number; bytes: Record<RecordingRole, number> },
  now: Date,
): Promise<boolean> {
  const changed = await db
    .update(agentRecordings)
    .set({
      status: "complete",
      ...{ durationMs, agentBytes: bytes.agent, userBytes: bytes.user },
      ...{ dueAt: null, finishedAt: now },
    })
    .where(asClaimed(row))
    .returning({ id: agentRecordings.sessionId });
  return changed.length === 1;
}

/** Notes that there will be no files of a claimed recording; false where another instance has it by now. */
export async function failRecording(
  db: Db,
  row: RecordingRow,
  errorCode: NonNullable<RecordingRow["errorCode"]>,
  now: Date,
): Promise<boolean> {
  const changed = await db
    .update(agentRecordings)
    .set({ status: "failed", errorCode, dueAt: null, finishedAt: now })
    .where(asClaimed(row))
    .returning({ id: agentRecordings.sessionId });
  return changed.length === 1;
}

/** Some of the recordings that were finished before a time. */
export async function recordingsBefore(db: Db, time: Date, most: number): Promise<RecordingRow[]> {
  return await db
    .select()
    .from(agentRecordings)
    .where(
      and(
        ne(agentRecordings.status, "processing"),
        isNotNull(agentRecordings.finishedAt),
        lt(agentRecordings.finishedAt, time),
      ),
    )
    .limit(most);
}

export async function deleteRecording(db: Db, sessionId: string): Promise<void> {
  await db.delete(agentRecordings).where(eq(agentRecordings.sessionId, sessionId));
}
