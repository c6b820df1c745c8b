import { newIdentifier } from "#common/identifier";
import type { Db } from "#control-plane/database/database";
import { planOf } from "#agents/testing/plan";
import { agentSessions, type SessionRow } from "#control-plane/sessions/tables";

/** Writes the record of a session that is over, as if it had taken place; gives its id. */
export async function insertOverSession(
  db: Db,
  teamId: string,
  { plan = {}, ...change }: Partial<Omit<SessionRow, "plan">> & { plan?: Parameters<typeof planOf>[0] } = {},
): Promise<string> {
  const [id, now] = [newIdentifier(), new Date()];
  const row: SessionRow = {
    ...{ id, teamId, agentId: newIdentifier(), agentName: "Ann", versionNumber: 1, configHash: "sha256:0", name: null },
    ...{ status: "completed", source: "api_key", direction: "inbound", metadata: {} },
    ...{ dialStatus: null, answeredBy: null, callerNumber: null, dialedNumber: null, timezone: null, endUserId: null },
    ...{ plan: planOf({ sessionId: id, teamId, ...plan }), heldMicros: 0, responder: null, transfers: [] },
    ...{ runtimeId: null, runtimeEpoch: null, attempt: 1, givenUntil: null, unheldSince: null },
    ...{ joinBy: now, overBy: now, createdAt: now, startedAt: now, endedAt: now },
    ...{ endedReason: "caller_left", endedDetail: null, settleAt: null, purgeAt: null },
    ...change,
  };
  await db.insert(agentSessions).values(row);
  return id;
}
