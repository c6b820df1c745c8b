import { and, eq, gt, inArray, lt, ne, type SQL, sql } from "drizzle-orm";
import { type SessionListQuery, statusesOf } from "#protocol/agents/session";
import { ServiceError } from "#protocol/errors";
import { isAgentId } from "../agents/store.js";
import type { Db } from "../database/database.js";
import { newestFirst, type Page, within } from "../http/paging.js";
import { agentSessionItems, agentSessions, type SessionItemRow, type SessionRow } from "./tables.js";

/** Ids are ours; asking the database for anything else could only fail (it refuses U+0000, for one). */
function isSessionId(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text);
}

/** The team's session. Throws `not_found`, for another team's as for a missing one. */
export async function findSession(db: Db, teamId: string, sessionId: string): Promise<SessionRow> {
  const [row] = isSessionId(sessionId)
    ? await db
        .select()
        .from(agentSessions)
        .where(and(eq(agentSessions.teamId, teamId), eq(agentSessions.id, sessionId)))
    : [];
  if (row === undefined) throw new ServiceError("not_found");
  return row;
}

/** Everything that was said and done in a session, in no order. */
export async function itemsOf(db: Db, sessionId: string): Promise<SessionItemRow[]> {
  return await db.select().from(agentSessionItems).where(eq(agentSessionItems.sessionId, sessionId));
}

/** Rows of one page of the team's sessions, and how many match in all where the page wants to know. */
export async function listSessions(
  db: Db,
  teamId: string,
  query: SessionListQuery,
  page: Page,
): Promise<{ read: SessionRow[]; total: number | null }> {
  const { agent_id: agentId, caller_number: caller } = query;
  if ((agentId !== undefined && !isAgentId(agentId)) || (caller !== undefined && !/^\+?\d+$/.test(caller.trim())))
    return { read: [], total: page.wantsTotal ? 0 : null };
  const where = and(eq(agentSessions.teamId, teamId), ...conditions(query));
  const read = await db
    .select()
    .from(agentSessions)
    .where(within(page, where, agentSessions))
    .orderBy(...newestFirst(agentSessions))
    .limit(page.limit)
    .offset(page.offset);
  if (!page.wantsTotal) return { read, total: null };
  const [counted] = await db.select({ total: sql<number>`count(*)::int` }).from(agentSessions).where(where);
  return { read, total: counted?.total ?? 0 };
}

function conditions(query: SessionListQuery): (SQL | undefined)[] {
  const { agentId, status, direction, callerNumber, createdAt } = agentSessions;
  const statuses = query.status === undefined ? null : statusesOf(query.status);
  return [
    statuses === null ? ne(status, "pending") : inArray(status, statuses),
    query.agent_id === undefined ? undefined : eq(agentId, query.agent_id),
    query.direction === undefined ? undefined : eq(direction, query.direction),
    query.caller_number === undefined ? undefined : eq(callerNumber, `+${query.caller_number.trim().replace("+", "")}`),
    query.created_after === undefined ? undefined : gt(createdAt, momentOf(query.created_after)),
    query.created_before === undefined ? undefined : lt(createdAt, momentOf(query.created_before)),
  ];
}

const LATEST_MS = Date.parse("9999-12-31T23:59:59.999Z");

/**
 * The instant of a checked ISO text; without an offset it is UTC. Beyond the dates that the database can compare it is
 * the first or the last of them: no session is older or newer.
 */
function momentOf(text: string): Date {
  const isLocal = text.includes("T") && !/(Z|[+-]\d\d:?\d\d)$/i.test(text);
  const epochMs = Date.parse(isLocal ? `${text}Z` : text);
  return new Date(Math.min(LATEST_MS, Math.max(0, epochMs)));
}
