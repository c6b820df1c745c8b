import { and, desc, eq, gte, inArray, isNotNull, type SQL, sql } from "drizzle-orm";
import type { ActivityReport, LatencySpread } from "#protocol/usage";
import type { Db } from "../database/database.js";
import { usageRecords } from "../database/schema.js";
import { agentSessionItems, agentSessions } from "../sessions/tables.js";

const WITHIN_MS = 24 * 3600 * 1000;
/** What is looked at of a busy team: somebody may look every few seconds. */
const LATEST_REQUESTS = 5000;
const LATEST_SESSIONS = 500;

/** How fast a team was answered in the last 24 hours, and how many conversations it holds now. */
export async function describeActivity(
  db: Db,
  teamId: string,
  now: Date,
): Promise<Omit<ActivityReport, "live"> & { conversations: number }> {
  const since = new Date(now.getTime() - WITHIN_MS);
  return {
    conversations: await db.$count(
      agentSessions,
      and(eq(agentSessions.teamId, teamId), eq(agentSessions.status, "active")),
    ),
    first_audio_ms: await firstAudio(db, teamId, since),
    reply_ms: await replies(db, teamId, since),
  };
}

async function firstAudio(db: Db, teamId: string, since: Date): Promise<LatencySpread | null> {
  const latest = db
    .select({ ms: usageRecords.firstAudioMs })
    .from(usageRecords)
    .where(
      and(
        eq(usageRecords.teamId, teamId),
        gte(usageRecords.finishedAt, since),
        // In conversations a reply's time counts, not that of its parts.
        eq(usageRecords.agentId, ""),
        isNotNull(usageRecords.firstAudioMs),
      ),
    )
    .orderBy(desc(usageRecords.finishedAt))
    .limit(LATEST_REQUESTS)
    .as("latest");
  const [found] = await db.select(spreadOf(sql`${latest.ms}`)).from(latest);
  return spread(found);
}

async function replies(db: Db, teamId: string, since: Date): Promise<LatencySpread | null> {
  const latest = db
    .select({ id: agentSessions.id })
    .from(agentSessions)
    .where(and(eq(agentSessions.teamId, teamId), gte(agentSessions.createdAt, since)))
    .orderBy(desc(agentSessions.createdAt))
    .limit(LATEST_SESSIONS);
  const [found] = await db
    .select(spreadOf(sql`(${agentSessionItems.content}->>'total_ms')::float8`))
    .from(agentSessionItems)
    .where(and(inArray(agentSessionItems.sessionId, latest), eq(agentSessionItems.type, "turn_latency")));
  return spread(found);
}

const spreadOf = (ms: SQL) => ({
  count: sql<number>`count(*)`.mapWith(Number),
  percentiles: sql<number[] | null>`percentile_cont(ARRAY[0.5, 0.95, 0.99]) WITHIN GROUP (ORDER BY ${ms})`,
});

function spread(found: { count: number; percentiles: number[] | null } | undefined): LatencySpread | null {
  if (found === undefined || found.percentiles === null) return null;
  const [p50 = 0, p95 = 0, p99 = 0] = found.percentiles.map(Math.round);
  return { count: found.count, p50, p95, p99 };
}
