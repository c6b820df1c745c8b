import { eq } from "drizzle-orm";
import type { SessionStatus } from "#protocol/agents/session";
import { transferRoomName } from "#protocol/bus/conversation";
import type { EndReason } from "#protocol/bus/conversation-log";
import { type UsageRecord, usageSubject } from "#protocol/bus/control";
import { purgeKeys } from "../accounts/forget-keys.js";
import { costMicros } from "../accounts/prices.js";
import { usageRowOf } from "../accounts/usage.js";
import type { Db } from "../database/database.js";
import { usageRecords } from "../database/schema.js";
import { settleHold } from "../ledger/holds.js";
import { type Booking, crossedZero } from "../ledger/post.js";
import { insertRecording } from "../recordings/store.js";
import { callEnded } from "../webhooks/events.js";
import { type BegunAnalysis, beginAnalysis, wakeFor } from "./analysis/begin.js";
import { announce, factsOf } from "./announce.js";
import type { SessionContext } from "./context.js";
import { bookDial } from "./dial.js";
import { isOver } from "./entity.js";
import { agentSessions, holdIdOf, type SessionRow } from "./tables.js";
import { transfersOf } from "./transfers.js";
import { findUnbooked, isDialOpen, type ResolvedDial, type Unbooked } from "./unbooked.js";
import { conversationUsage } from "./usage.js";

/** How a session ends. */
export interface Ending {
  at: Date;
  /** Null where nobody knows: the session's status is `unknown` then, and it costs nothing. */
  reason: EndReason | null;
  detail: string | null;
}

/**
 * How long after the end of a session its log is deleted, and its room if it is still there. By then every record of it
 * is written, the ones included that an instance had taken that died over them, and no runtime is on its way to take
 * the conversation over.
 */
const PURGE_AFTER_MS = 60_000;

const failures: readonly EndReason[] = [
  "never_joined",
  "not_answered",
  "refused",
  "speech_unavailable",
  "llm_endpoint_failure",
  "room_lost",
  "error",
];

/** The status that an end leads to. */
function statusOf(reason: EndReason | null): SessionStatus {
  if (reason === null) return "unknown";
  return failures.includes(reason) ? "failed" : "completed";
}

/**
 * Ends a session, once, however many ask: its record, what it costs, its usage, its webhook event and the analysis that
 * it is to have are one transaction. Never costs more than what was held for it. `deletesRoom`: no runtime is in its
 * room that would do so. Gives whether this call ended it.
 */
export async function finishSession(
  context: SessionContext,
  sessionId: string,
  ending: Ending,
  { deletesRoom }: { deletesRoom: boolean },
): Promise<boolean> {
  const { db, bus, now } = context;
  const unbooked = await findUnbooked(context, sessionId);
  const finished = await db.transaction((tx) => finishIn(tx, context, { sessionId, unbooked, ending }, now()));
  if (finished === null) return false;
  wakeFor(bus, finished);
  // It is booked; analytics takes it from the bus. Should this process die before, it is published again with the
  // purge.
  if (finished.usage !== null) bus.publish(usageSubject, finished.usage);
  if (finished.booking !== null && crossedZero(finished.booking)) await purgeKeys(bus, db, [finished.row.teamId]);
  if (deletesRoom) await deleteRoom(context, finished.row);
  return true;
}

interface Finished extends BegunAnalysis {
  row: SessionRow;
  booking: Booking | null;
  usage: UsageRecord | null;
}

async function finishIn(
  tx: Db,
  context: SessionContext,
  { sessionId, unbooked, ending }: { sessionId: string; unbooked: Unbooked; ending: Ending },
  now: Date,
): Promise<Finished | null> {
  const [read] = await tx.select().from(agentSessions).where(eq(agentSessions.id, sessionId)).for("update");
  if (read === undefined || isOver(read)) return null;
  // The event of the dial goes before all others.
  const dialed = isDialOpen(read)
    ? await bookDial(tx, context, read, lastDial(read, unbooked, ending), now)
    : { row: read, hasEvent: false };
  const { row } = dialed;
  const startedAt = row.startedAt ?? unbooked.beginning;
  const endedAt = new Date(Math.max(ending.at.getTime(), startedAt?.getTime() ?? 0));
  const ended: SessionRow = {
    ...row,
    status: statusOf(ending.reason),
    startedAt,
    endedAt,
    endedReason: ending.reason,
    endedDetail: ending.detail,
    settleAt: null,
    purgeAt: new Date(now.getTime() + PURGE_AFTER_MS),
    transfers: transfersOf(unbooked.transferLog, endedAt),
  };
  const usage = conversationUsage(ended);
  const cost = usage === null ? 0 : Math.min(row.heldMicros, costMicros(usage));
  const booking = row.heldMicros === 0 ? null : await settleHold(tx, holdIdOf(row.id), cost, now);
  if (usage !== null) await tx.insert(usageRecords).values(usageRowOf(usage, now)).onConflictDoNothing();
  const { status, endedReason, endedDetail, settleAt, purgeAt, transfers } = ended;
  await tx
    .update(agentSessions)
    .set({ status, startedAt, endedAt, endedReason, endedDetail, settleAt, purgeAt, transfers })
    .where(eq(agentSessions.id, row.id));
  if (row.plan.recordsAudio && ended.startedAt !== null)
    await insertRecording(tx, { id: row.id, startedAt: ended.startedAt, attempt: row.attempt }, now);
  const concluded = await conclude(tx, context, ended, now);
  return { row: ended, booking, usage, ...concluded, hasEvent: dialed.hasEvent || concluded.hasEvent };
}

/** What is known of a dial in the end: one that nobody saw resolved has failed. */
function lastDial({ dialStatus, startedAt }: SessionRow, { dial }: Unbooked, { at }: Ending): ResolvedDial {
  const status = dialStatus ?? dial?.status ?? "failed";
  return { status, at: startedAt ?? dial?.at ?? at, answeredBy: dial?.answeredBy ?? "unknown" };
}

/** Writes `call.ended` for a conversation that took place, and has it analyzed; previews are analyzed on request. */
async function conclude(tx: Db, context: SessionContext, row: SessionRow, now: Date): Promise<BegunAnalysis> {
  if (row.startedAt === null) return { hasEvent: false, isQueued: false };
  const payload = callEnded(factsOf(row), row.status === "completed" ? "hangup" : "error");
  const hasEvent = await announce(tx, context, row, payload, now);
  if (row.source === "dashboard") return { hasEvent, isQueued: false };
  const begun = await beginAnalysis(tx, context, row, now);
  return { hasEvent: hasEvent || begun.hasEvent, isQueued: begun.isQueued };
}

/**
 * Deletes the room of a session, and those of its transfers: whoever is in them is hung up on. A room that cannot be
 * deleted now goes by itself once nobody is in it.
 */
export async function deleteRoom(
  { rooms, log }: Pick<SessionContext, "rooms" | "log">,
  { id, plan, transfers }: SessionRow,
): Promise<void> {
  if (rooms === null) return;
  try {
    await rooms.delete(plan.room.name);
    for (const index of transfers.keys()) await rooms.delete(transferRoomName(id, index + 1));
  } catch (error) {
    log.warn({ err: error, session: id }, "the room of a session could not be deleted");
  }
}
