import { and, eq, inArray, sql } from "drizzle-orm";
import {
  type ConversationRecord,
  conversationStream,
  conversationSubject,
  type EndReason,
} from "#protocol/bus/conversation-log";
import type { Bus, DurableSubscription, StoredPlace } from "#common/bus/bus";
import { isUnavailable, toServiceError } from "../database/failure.js";
import type { SessionContext } from "./context.js";
import { resolveAnswerer, resolveDial } from "./dial.js";
import { finishSession } from "./finish.js";
import { itemOf, storableText, type NewItem } from "./log-items.js";
import { agentSessionItems, agentSessions } from "./tables.js";

/** Instances with this name share the records of all sessions. */
const CONSUMER = "sessions";
const BATCH = 50;

/**
 * How long the end of a session waits for its beginning: another instance may be at work on that. What ends before
 * anybody has joined waits in vain, and costs nothing.
 */
export const LATE_RECORDS_MS = 5000;

/**
 * Writes the logs of all conversations into the records of their sessions: at least once, and not always in order,
 * since instances share the work. A record that no release can have written is dropped; while the database is away all
 * wait on the bus.
 */
export function consumeConversations(context: SessionContext, bus: Pick<Bus, "consume">): DurableSubscription {
  return bus.consume<ConversationRecord>(
    { stream: conversationStream, consumer: CONSUMER, batch: BATCH, lingerMs: 0 },
    async (records, _pending, places) => {
      for (const [index, record] of records.entries()) {
        const place = places[index];
        if (place !== undefined) await apply(context, record, place);
      }
    },
  );
}

const subjectPrefix = conversationSubject("");

async function apply(context: SessionContext, record: ConversationRecord, place: StoredPlace): Promise<void> {
  const sessionId = place.subject.slice(subjectPrefix.length);
  try {
    await applyRecord(context, sessionId, record, place.sequence);
  } catch (error) {
    if (isUnavailable(error)) throw toServiceError(error);
    const { cause } = toServiceError(error);
    context.log.error({ err: cause ?? error, session: sessionId }, "a record of a conversation was dropped");
  }
}

/** Writes one record of a session's log; the same one again changes nothing. */
async function applyRecord(
  context: SessionContext,
  sessionId: string,
  record: ConversationRecord,
  sequence: number,
): Promise<void> {
  const { db } = context;
  if (record.type === "caller-joined") return await beginSession(context, sessionId, new Date(record.atEpochMs));
  if (record.type === "dial-resolved") {
    const { status, atEpochMs } = record;
    return await resolveDial(context, sessionId, { status, at: new Date(atEpochMs) });
  }
  if (record.type === "answerer-detected") return await resolveAnswerer(context, sessionId, record.answeredBy);
  if (record.type === "ended") return await end(context, sessionId, record);
  const item = itemOf(record, sequence);
  if (item !== null) await addItem(context, sessionId, item, record);
  if (record.type === "reply-started")
    await db
      .update(agentSessions)
      .set({ responder: storableText(record.responder) })
      .where(eq(agentSessions.id, sessionId));
}

/** Ends of sessions that may well have no beginning: nobody needs to wait for it. */
const unbegun: readonly EndReason[] = ["never_joined", "not_answered", "speech_unavailable"];

const isOpen = inArray(agentSessions.status, ["pending", "active"]);

/** Writes when the caller joined, the earliest that is known. */
export async function beginSession(context: SessionContext, sessionId: string, at: Date): Promise<void> {
  const instant = sql`${at.toISOString()}::timestamptz`;
  const [row] = await context.db
    .update(agentSessions)
    .set({ status: "active", startedAt: sql`least(coalesce(${agentSessions.startedAt}, ${instant}), ${instant})` })
    .where(and(eq(agentSessions.id, sessionId), isOpen))
    .returning();
  // The end came first.
  if (row === undefined || row.endedAt === null) return;
  const ending = { at: row.endedAt, reason: row.endedReason, detail: row.endedDetail };
  await finishSession(context, sessionId, ending, { deletesRoom: false });
}

async function end(
  context: SessionContext,
  sessionId: string,
  record: Extract<ConversationRecord, { type: "ended" }>,
): Promise<void> {
  const { db, now } = context;
  const detail = record.detail === null ? null : storableText(record.detail);
  const ending = { at: new Date(record.atEpochMs), reason: record.reason, detail };
  const [row] = await db
    .update(agentSessions)
    .set({
      endedAt: ending.at,
      endedReason: ending.reason,
      endedDetail: detail,
      settleAt: new Date(now().getTime() + LATE_RECORDS_MS),
    })
    .where(and(eq(agentSessions.id, sessionId), isOpen))
    .returning();
  if (row === undefined) return;
  if (row.startedAt === null && !unbegun.includes(ending.reason)) return;
  // Where nobody could recognize or speak, no runtime went into the room.
  await finishSession(context, sessionId, ending, { deletesRoom: ending.reason === "speech_unavailable" });
}

async function addItem(
  { db }: SessionContext,
  sessionId: string,
  item: NewItem,
  record: ConversationRecord,
): Promise<void> {
  const [known] = await db.select({ id: agentSessions.id }).from(agentSessions).where(eq(agentSessions.id, sessionId));
  // A session that could not be created after all.
  if (known === undefined) return;
  const insert = db.insert(agentSessionItems).values({ sessionId, ...item });
  const target = [agentSessionItems.sessionId, agentSessionItems.key];
  if (record.type !== "reply-ended") {
    await insert.onConflictDoNothing();
    return;
  }
  // A reply stands where it ended: the tools that it waited for were called before.
  const { content, createdAt, sequence } = item;
  await insert.onConflictDoUpdate({ target, set: { content, createdAt, sequence } });
}
