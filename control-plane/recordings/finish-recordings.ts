import { RECORDING_FRAME_MS, type RecordingRole, recordingRoles } from "#protocol/bus/recording";
import type { Logger } from "#common/log";
import type { Db } from "../database/database.js";
import { joinSegments } from "./join-segments.js";
import type { RecordingFile } from "./recording-files.js";
import type { RecordingObjects } from "./recording-objects.js";
import { claimRecording, completeRecording, failRecording, LEASE_MS, putOff } from "./store.js";
import type { RecordingRow } from "./tables.js";
import type { RecordingTelemetry } from "./telemetry.js";

/** Between two looks whether a runtime has stored everything. */
const LOOK_AGAIN_MS = 500;
/** Before what failed is tried again. */
const RETRY_MS = 5000;
/** A recording that cannot be joined for so long, because its objects cannot be read or written, has failed. */
const FAILED_AFTER_MS = 24 * 3_600_000;

export interface FinishContext {
  db: Db;
  objects: RecordingObjects;
  log: Logger;
  /** Wall-clock time. */
  now: () => Date;
  telemetry: RecordingTelemetry;
}

/**
 * Joins the next recording that is due to its files; false where none is. Several instances may do so at once. Where
 * `isStopping` the work is left to another instance. Rejects with what failed; then it is due again a little later.
 */
export async function finishNext(context: FinishContext, isStopping: () => boolean = () => false): Promise<boolean> {
  const { db, now, telemetry } = context;
  const row = await claimRecording(db, now());
  if (row === null) return false;
  try {
    await finish(context, row, isStopping);
  } catch (error) {
    if (error instanceof LeftToOthers) await putOff(db, row, now());
    else if (now().getTime() - row.giveUpAt.getTime() > FAILED_AFTER_MS) {
      if (await failRecording(db, row, "storage_failed", now())) telemetry.finished("failed", 0);
    } else {
      telemetry.delayed();
      await putOff(db, row, new Date(now().getTime() + RETRY_MS));
      throw error;
    }
  }
  return true;
}

/** Another instance has the recording, or is to have it. */
class LeftToOthers extends Error {}

async function finish(context: FinishContext, row: RecordingRow, isStopping: () => boolean): Promise<void> {
  const { db, objects, now } = context;
  if (!(await isStored(context, row))) {
    await putOff(db, row, new Date(now().getTime() + LOOK_AGAIN_MS));
    return;
  }
  const files = Object.fromEntries(
    recordingRoles.map((role) => [role, objects.openFile(row.sessionId, role)]),
  ) as Record<RecordingRole, RecordingFile>;
  try {
    await join(context, row, files, isStopping);
  } catch (error) {
    for (const role of recordingRoles) await files[role].discard();
    throw error;
  }
}

async function join(
  context: FinishContext,
  row: RecordingRow,
  files: Record<RecordingRole, RecordingFile>,
  isStopping: () => boolean,
): Promise<void> {
  const { db, objects, log, now, telemetry } = context;
  const { sessionId, runtimeAttempts } = row;
  const keepLease = leaseKeeper(context, row, isStopping);
  const counts: number[] = Array.from({ length: runtimeAttempts }, () => 0);
  const frames = await joinSegments(
    runtimeAttempts,
    async (attempt, index) => {
      await keepLease();
      const segment = await objects.segment(sessionId, attempt, index);
      if (segment !== null) counts[attempt - 1] = Math.max(index + 1, counts[attempt - 1] ?? 0);
      return segment;
    },
    (role, pages) => files[role].write(pages),
  );
  if (frames === 0) {
    if (await failRecording(db, row, "no_audio", now())) telemetry.finished("failed", 0);
    return;
  }
  const bytes = { agent: await files.agent.finish(), user: await files.user.finish() };
  if (!(await completeRecording(db, row, { durationMs: frames * RECORDING_FRAME_MS, bytes }, now()))) return;
  telemetry.finished("completed", bytes.agent + bytes.user);
  // What cannot be deleted now goes with its time.
  await objects
    .deleteSegments(sessionId, counts)
    .catch((error: unknown) => log.warn({ err: error, session: sessionId }, "segments of a recording were left"));
}

/** Whether no more segments come: a runtime said so, or all had their time. */
async function isStored({ objects, now }: FinishContext, row: RecordingRow): Promise<boolean> {
  if (now() >= row.giveUpAt) return true;
  for (let attempt = row.runtimeAttempts; attempt > 0; attempt--)
    if (await objects.hasEnd(row.sessionId, attempt)) return true;
  return false;
}

/** Gives what is to be called again and again while a recording is joined; rejects where it is another's. */
function leaseKeeper({ db, now }: FinishContext, row: RecordingRow, isStopping: () => boolean): () => Promise<void> {
  let renewedAtMs = now().getTime();
  return async () => {
    if (isStopping()) throw new LeftToOthers();
    const nowMs = now().getTime();
    if (nowMs - renewedAtMs < LEASE_MS / 4) return;
    renewedAtMs = nowMs;
    if (!(await putOff(db, row, new Date(nowMs + LEASE_MS)))) throw new LeftToOthers();
  };
}
