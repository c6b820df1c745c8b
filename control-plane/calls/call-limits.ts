import { and, count, eq, gte, inArray } from "drizzle-orm";
import { limits } from "#protocol/limit-table";
import type { Db } from "../database/database.js";
import { agentSessions } from "../sessions/tables.js";
import { refusal } from "./refusal.js";
import { phoneCalls } from "./tables.js";

const DAY_MS = 24 * 3_600_000;

/**
 * Refuses a call of a team that makes as many as it may: throws `daily_limit_exceeded`, `concurrency_limit_exceeded`.
 * Whoever asks holds the team's row: what another request is adding would not be counted.
 */
export async function requireCallsLeft(tx: Db, teamId: string, now: Date): Promise<void> {
  const [perDay, atOnce] = [limits.callsPerDay.most, limits.callsAtOnce.most];
  const dayBegan = new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS);
  const outbound = and(eq(phoneCalls.teamId, teamId), eq(phoneCalls.direction, "outbound"));
  const [{ today } = { today: 0 }] = await tx
    .select({ today: count() })
    .from(phoneCalls)
    .where(and(outbound, gte(phoneCalls.createdAt, dayBegan)));
  if (today >= perDay)
    throw refusal("daily_limit_exceeded", {
      parameters: { limit: perDay },
      retryAfterMs: dayBegan.getTime() + DAY_MS - now.getTime(),
    });
  const [{ underWay } = { underWay: 0 }] = await tx
    .select({ underWay: count() })
    .from(phoneCalls)
    .innerJoin(agentSessions, eq(agentSessions.id, phoneCalls.sessionId))
    .where(and(outbound, inArray(agentSessions.status, ["pending", "active"])));
  if (underWay >= atOnce) throw refusal("concurrency_limit_exceeded", { parameters: { limit: atOnce } });
}
