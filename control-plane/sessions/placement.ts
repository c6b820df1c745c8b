import { and, count, eq, inArray, isNotNull, isNull, type SQL } from "drizzle-orm";
import { ServiceError } from "#protocol/errors";
import type { HandOver } from "#protocol/bus/conversation";
import type { Placement } from "./agent-runtimes.js";
import type { SessionContext } from "./context.js";
import { finishSession } from "./finish.js";
import { agentSessions, type SessionRow } from "./tables.js";

/** How long one process may look for a runtime before another one does. */
export const GIVE_MS = 30_000;
/** Between two looks for a runtime while none has room. */
const AGAIN_MS = 1000;
/** A conversation that nobody holds for so long is given up. */
const UNHELD_MS = 60_000;

const isOpen = inArray(agentSessions.status, ["pending", "active"]);
const after = (now: Date, ms: number): Date => new Date(now.getTime() + ms);

/** The session as it was read: whoever changed it since has its attempt. */
const asRead = ({ id, attempt, runtimeId }: Pick<SessionRow, "id" | "attempt" | "runtimeId">): SQL | undefined =>
  and(
    eq(agentSessions.id, id),
    eq(agentSessions.attempt, attempt),
    runtimeId === null ? isNull(agentSessions.runtimeId) : eq(agentSessions.runtimeId, runtimeId),
    isOpen,
  );

/**
 * Throws `no_agent_runtime` where no runtime has room for a new session. Sessions that are without a runtime for the
 * moment go before it: their callers are in a conversation, and hear nothing meanwhile.
 */
export async function requirePlace({
  db,
  runtimes,
}: Pick<SessionContext, "db"> & { runtimes: Pick<SessionContext["runtimes"], "freePlaces"> }): Promise<void> {
  const { freePlaces } = runtimes;
  const [{ waiting } = { waiting: 0 }] =
    freePlaces === 0
      ? []
      : await db
          .select({ waiting: count() })
          .from(agentSessions)
          .where(and(isOpen, isNotNull(agentSessions.unheldSince)));
  if (freePlaces <= waiting) throw new ServiceError("no_agent_runtime");
}

/** Writes down who took a session that had no runtime; false where nobody did. */
export async function storePlacement(
  { db, now }: Pick<SessionContext, "db" | "now">,
  row: SessionRow,
  placement: Placement,
): Promise<boolean> {
  if (placement.type === "taken") {
    const { by, attempt } = placement;
    await db
      .update(agentSessions)
      .set({ runtimeId: by.id, runtimeEpoch: by.epoch, attempt, givenUntil: null, unheldSince: null })
      .where(asRead({ ...row, runtimeId: null }));
    return true;
  }
  await db
    .update(agentSessions)
    .set({ attempt: placement.attempt, givenUntil: after(now(), AGAIN_MS) })
    .where(asRead({ ...row, runtimeId: null }));
  return false;
}

/**
 * Takes a session from a runtime that is gone, or that gives it back, and gives it to another one, under a later
 * attempt. Of several instances that try, one does it. A session that found no runtime is tried again until it has been
 * without one for `UNHELD_MS`, then it fails.
 */
export async function takeOver(
  context: SessionContext,
  read: Pick<SessionRow, "id" | "attempt" | "runtimeId">,
): Promise<void> {
  const { db, runtimes, log, now } = context;
  const at = now();
  const [row] = await db
    .update(agentSessions)
    .set({ runtimeId: null, runtimeEpoch: null, attempt: read.attempt + 1, givenUntil: after(at, GIVE_MS) })
    .where(and(asRead(read), isNull(agentSessions.endedAt)))
    .returning();
  if (row === undefined) return;
  const unheldSince = row.unheldSince ?? at;
  if (row.unheldSince === null)
    await db
      .update(agentSessions)
      .set({ unheldSince })
      .where(asRead({ ...row, runtimeId: null }));
  const placement = await runtimes.place({ plan: row.plan, attempt: row.attempt });
  if (await storePlacement(context, row, placement)) {
    log.info({ session: row.id, from: read.runtimeId }, "a conversation went over to another runtime");
    return;
  }
  if (at.getTime() - unheldSince.getTime() < UNHELD_MS) return;
  log.error({ session: row.id }, "no runtime took a conversation over");
  const ending = { at: now(), reason: "error", detail: "No agent runtime took it over" } as const;
  await finishSession(context, row.id, ending, { deletesRoom: true });
}

/** Takes back what a runtime hands over. */
export async function takeBack(context: SessionContext, { sessionId, runtimeId, attempt }: HandOver): Promise<void> {
  await takeOver(context, { id: sessionId, runtimeId, attempt });
}
