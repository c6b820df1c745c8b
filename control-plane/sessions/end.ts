import { and, eq, inArray, isNull } from "drizzle-orm";
import type { SessionContext } from "./context.js";
import { isOver } from "./entity.js";
import { finishSession } from "./finish.js";
import { LATE_RECORDS_MS } from "./log.js";
import { agentSessions, type SessionRow } from "./tables.js";

/**
 * Ends a session on request; one that is over stays as it is. Its runtime says how it ended, and the record follows its
 * log; where none does, the session ends here and now.
 */
export async function endSession(context: SessionContext, row: SessionRow): Promise<void> {
  const { db, runtimes, now } = context;
  if (isOver(row)) return;
  const ending = { at: now(), reason: "requested" as const, detail: null };
  const { runtimeId } = row;
  const held = runtimeId === null ? null : await runtimes.end(runtimeId, { sessionId: row.id, reason: "requested" });
  if (held?.isOpen !== true) {
    await finishSession(context, row.id, ending, { deletesRoom: held === null });
    return;
  }
  // Should the runtime die before it says so, the session ends all the same, and no other one takes it over.
  await db
    .update(agentSessions)
    .set({ endedAt: ending.at, endedReason: ending.reason, settleAt: new Date(ending.at.getTime() + LATE_RECORDS_MS) })
    .where(
      and(
        eq(agentSessions.id, row.id),
        inArray(agentSessions.status, ["pending", "active"]),
        isNull(agentSessions.endedAt),
      ),
    );
}
