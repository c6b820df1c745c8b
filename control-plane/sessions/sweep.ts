import { inArray } from "drizzle-orm";
import type { SessionContext } from "./context.js";
import { dueOf, type OpenSession } from "./due.js";
import { finishSession } from "./finish.js";
import { beginSession } from "./log.js";
import { takeOver } from "./placement.js";
import { agentSessions } from "./tables.js";
import { findUnbooked } from "./unbooked.js";

const columns = {
  id: agentSessions.id,
  status: agentSessions.status,
  attempt: agentSessions.attempt,
  runtimeId: agentSessions.runtimeId,
  runtimeEpoch: agentSessions.runtimeEpoch,
  givenUntil: agentSessions.givenUntil,
  unheldSince: agentSessions.unheldSince,
  joinBy: agentSessions.joinBy,
  overBy: agentSessions.overBy,
  settleAt: agentSessions.settleAt,
  endedAt: agentSessions.endedAt,
  endedReason: agentSessions.endedReason,
  endedDetail: agentSessions.endedDetail,
};

/** Whether the process that holds a session is gone for good. */
export type IsGone = (runtime: { id: string; epoch: string }) => boolean;

/** Sessions that this process is busy with. */
export type UnderWay = Set<string>;

/**
 * Does what is due for every session that is not over. Everything is in the database: an instance that starts goes on
 * where another one was killed. What an earlier sweep has `underWay` is left to it, so sweeps need not wait for each
 * other. Gives the failures; what failed is due at the next sweep.
 */
export async function sweepSessions(
  context: SessionContext,
  isGone: IsGone,
  underWay: UnderWay = new Set(),
): Promise<unknown[]> {
  const open = await context.db
    .select(columns)
    .from(agentSessions)
    .where(inArray(agentSessions.status, ["pending", "active"]));
  const free = open.filter(({ id }) => !underWay.has(id));
  // Side by side: one whose runtimes do not answer must not hold up the others.
  const outcomes = await Promise.allSettled(
    free.map(async (session) => {
      underWay.add(session.id);
      await doDue(context, session, isGone).finally(() => underWay.delete(session.id));
    }),
  );
  return outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason as unknown] : []));
}

async function doDue(context: SessionContext, session: OpenSession, isGone: IsGone): Promise<void> {
  const { id, runtimeId, runtimeEpoch } = session;
  const now = context.now();
  const gone = runtimeId !== null && isGone({ id: runtimeId, epoch: runtimeEpoch ?? "" });
  switch (dueOf(session, now, { isGone: gone, isHeld: context.runtimes.isHeld(id) })) {
    case "settle":
      await finishSession(
        context,
        id,
        { at: session.endedAt ?? now, reason: session.endedReason, detail: session.endedDetail },
        { deletesRoom: gone || runtimeId === null },
      );
      return;
    case "never-joined": {
      const { beginning } = await findUnbooked(context, id);
      if (beginning !== null) return await beginSession(context, id, beginning);
      const deletesRoom = !(await dismiss(context, session, "never_joined"));
      await finishSession(context, id, { at: now, reason: "never_joined", detail: null }, { deletesRoom });
      return;
    }
    case "forgotten": {
      const deletesRoom = !(await dismiss(context, session, "max_duration"));
      await finishSession(context, id, { at: now, reason: null, detail: null }, { deletesRoom });
      return;
    }
    case "take-over":
      await takeOver(context, session);
      return;
    case null:
  }
}

/** Lets a runtime go that may still believe that it holds a conversation; false where none does. */
async function dismiss({ runtimes }: SessionContext, session: OpenSession, reason: string): Promise<boolean> {
  if (session.runtimeId === null) return false;
  return (await runtimes.end(session.runtimeId, { sessionId: session.id, reason })) !== null;
}
