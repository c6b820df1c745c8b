import { eq } from "drizzle-orm";
import { webhookWakeSubject } from "#protocol/webhooks";
import type { Db } from "../database/database.js";
import { dialFinished } from "../webhooks/events.js";
import { announce, factsOf } from "./announce.js";
import type { SessionContext } from "./context.js";
import { isOver } from "./entity.js";
import { agentSessions, type SessionRow } from "./tables.js";
import type { ResolvedDial } from "./unbooked.js";

/** Writes down what became of an outbound call, once, together with its `phone_call.dial_finished`. */
export async function resolveDial(context: SessionContext, sessionId: string, dial: ResolvedDial): Promise<void> {
  const { db, bus, now } = context;
  const hasEvent = await db.transaction(async (tx) => {
    const [row] = await tx.select().from(agentSessions).where(eq(agentSessions.id, sessionId)).for("update");
    if (row === undefined || isOver(row) || !lacksDial(row)) return false;
    return (await bookDial(tx, context, row, dial, now())).hasEvent;
  });
  if (hasEvent) bus.publish(webhookWakeSubject, {});
}

/** Whether it is not known what became of an outbound call. */
export function lacksDial({ direction, dialStatus }: Pick<SessionRow, "direction" | "dialStatus">): boolean {
  return direction === "outbound" && dialStatus === null;
}

/**
 * The same in a transaction that has locked the session. An answered call begins here. Gives the row as it is then, and
 * whether there is an event to send.
 */
export async function bookDial(
  tx: Db,
  context: Pick<SessionContext, "sealer" | "log">,
  row: SessionRow,
  { status, at }: ResolvedDial,
  now: Date,
): Promise<{ row: SessionRow; hasEvent: boolean }> {
  const isAnswered = status === "answered";
  const change = {
    dialStatus: status,
    answeredBy: isAnswered ? ("unknown" as const) : null,
    ...(isAnswered ? { status: "active" as const, startedAt: row.startedAt ?? at } : {}),
  };
  await tx.update(agentSessions).set(change).where(eq(agentSessions.id, row.id));
  const booked: SessionRow = { ...row, ...change };
  const payload = dialFinished({ ...factsOf(booked), conversationEndedAt: null }, status, booked.answeredBy);
  return { row: booked, hasEvent: await announce(tx, context, booked, payload, now) };
}
