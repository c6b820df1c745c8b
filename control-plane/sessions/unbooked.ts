import { eq, sql } from "drizzle-orm";
import { type ConversationRecord, conversationStream, conversationSubject } from "#protocol/bus/conversation-log";
import type { AnsweredBy, DialStatus } from "#protocol/webhooks";
import type { SessionContext } from "./context.js";
import { isOver } from "./entity.js";
import { agentSessions, type SessionRow } from "./tables.js";

/** How a dial was resolved, and when. */
export interface ResolvedDial {
  status: DialStatus;
  at: Date;
  /** Null where nobody answered, or is still listened to. */
  answeredBy: AnsweredBy | null;
}

/** What the log of a session says and its record does not. */
export interface Unbooked {
  /** When the caller joined. */
  beginning: Date | null;
  /** What became of an outbound call. */
  dial: ResolvedDial | null;
  /** All of it, where the caller may have been transferred; such a session's record has nothing of that before its end. */
  transferLog: readonly ConversationRecord[];
}

/** Whether more is to be known of an outbound call: what became of its dial, or who answered it. */
export function isDialOpen({
  direction,
  dialStatus,
  answeredBy,
}: Pick<SessionRow, "direction" | "dialStatus" | "answeredBy">): boolean {
  return direction === "outbound" && (dialStatus === null || (dialStatus === "answered" && answeredBy === null));
}

const nothing: Unbooked = { beginning: null, dial: null, transferLog: [] };

/**
 * What the session's log says and its record does not: an instance that died may have had that record of the log in
 * hand, which comes again only after a while. Nothing where the record says it all, or the session is over. Throws
 * `dependency_unavailable`.
 */
export async function findUnbooked(
  { db, bus }: Pick<SessionContext, "db" | "bus">,
  sessionId: string,
): Promise<Unbooked> {
  const { startedAt, status, direction, dialStatus, answeredBy } = agentSessions;
  const mayTransfer = sql<boolean>`${agentSessions.plan} #> '{call,transfers}' IS NOT NULL`;
  const [row] = await db
    .select({ startedAt, status, direction, dialStatus, answeredBy, mayTransfer })
    .from(agentSessions)
    .where(eq(agentSessions.id, sessionId));
  if (row === undefined || isOver(row)) return nothing;
  const isOpen = isDialOpen(row);
  if (row.startedAt !== null && !isOpen && !row.mayTransfer) return nothing;
  const stored = await bus
    .subjectLog(conversationStream)
    .read<ConversationRecord | null>(conversationSubject(sessionId));
  const log = stored.flatMap(({ message }) =>
    message !== null && Number.isFinite(message.atEpochMs) ? [message] : [],
  );
  const joined = log.find(({ type }) => type === "caller-joined");
  const resolved = log.find((record) => record.type === "dial-resolved");
  const detected = log.find((record) => record.type === "answerer-detected");
  return {
    beginning: joined === undefined || row.startedAt !== null ? null : new Date(joined.atEpochMs),
    transferLog: row.mayTransfer ? log : [],
    dial:
      resolved === undefined || !isOpen
        ? null
        : { status: resolved.status, at: new Date(resolved.atEpochMs), answeredBy: detected?.answeredBy ?? null },
  };
}
