import { eq } from "drizzle-orm";
import { type ConversationRecord, conversationStream, conversationSubject } from "#protocol/bus/conversation-log";
import type { SessionContext } from "./context.js";
import { isOver } from "./entity.js";
import { agentSessions } from "./tables.js";

/**
 * When the caller joined, where the session's log says so and its record does not: an instance that died may have had
 * that record of the log in hand, which comes again only after a while. Null where nobody joined, where the record says
 * it, and where the session is over. Throws `dependency_unavailable`.
 */
export async function findBeginning(
  { db, bus }: Pick<SessionContext, "db" | "bus">,
  sessionId: string,
): Promise<Date | null> {
  const [row] = await db
    .select({ startedAt: agentSessions.startedAt, status: agentSessions.status })
    .from(agentSessions)
    .where(eq(agentSessions.id, sessionId));
  if (row === undefined || row.startedAt !== null || isOver(row)) return null;
  const log = await bus.subjectLog(conversationStream).read<ConversationRecord | null>(conversationSubject(sessionId));
  const joined = log.find(({ message }) => message?.type === "caller-joined" && Number.isFinite(message.atEpochMs));
  return joined?.message === undefined || joined.message === null ? null : new Date(joined.message.atEpochMs);
}
