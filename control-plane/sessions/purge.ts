import { eq, lte } from "drizzle-orm";
import { usageSubject } from "#protocol/bus/control";
import { conversationStream, conversationSubject } from "#protocol/bus/conversation-log";
import type { SessionContext } from "./context.js";
import { deleteRoom } from "./finish.js";
import { agentSessions } from "./tables.js";
import { conversationUsage } from "./usage.js";

/** Logs that are deleted at a time; the rest is due at the next sweep. */
const MOST_AT_ONCE = 100;

/**
 * Deletes the logs of sessions that are over, so that what was said stands in the records alone, and does once more what
 * whoever ended them may have died before: publishes what each conversation used, which counts once, and deletes its
 * room. Several instances may do it at once. Rejects where the log or the database is away; what was not deleted is due
 * at the next call.
 */
export async function purgeLogs(context: Pick<SessionContext, "db" | "bus" | "now" | "rooms" | "log">): Promise<void> {
  const { db, bus, now } = context;
  const due = await db.select().from(agentSessions).where(lte(agentSessions.purgeAt, now())).limit(MOST_AT_ONCE);
  if (due.length === 0) return;
  await Promise.all(due.map((row) => deleteRoom(context, row)));
  const log = bus.subjectLog(conversationStream);
  for (const row of due) {
    const { id } = row;
    const usage = conversationUsage(row);
    if (usage !== null) bus.publish(usageSubject, usage);
    await log.purge(conversationSubject(id));
    await db.update(agentSessions).set({ purgeAt: null }).where(eq(agentSessions.id, id));
  }
}

/** Deletes the log of a session that has no record; one that cannot be deleted now goes with its time. */
export async function purgeLog({ bus, log }: Pick<SessionContext, "bus" | "log">, sessionId: string): Promise<void> {
  await bus
    .subjectLog(conversationStream)
    .purge(conversationSubject(sessionId))
    .catch((error: unknown) => log.warn({ err: error, session: sessionId }, "the log of a session was not deleted"));
}
