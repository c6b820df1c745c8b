import { eq } from "drizzle-orm";
import { detectsAnswerer } from "#protocol/bus/conversation";
import { type AnsweredBy, type DialStatus, webhookWakeSubject } from "#protocol/webhooks";
import type { Db } from "../database/database.js";
import { dialFinished } from "../webhooks/events.js";
import { announce, factsOf } from "./announce.js";
import type { SessionContext } from "./context.js";
import { isOver } from "./entity.js";
import { agentSessions, type SessionRow } from "./tables.js";
import { findUnbooked, isDialOpen, type ResolvedDial } from "./unbooked.js";

/**
 * Writes down what became of an outbound call, once, together with its `phone_call.dial_finished`. Where the runtime
 * finds out who answered, that event waits for `resolveAnswerer`.
 */
export async function resolveDial(
  context: SessionContext,
  sessionId: string,
  dial: { status: DialStatus; at: Date },
): Promise<void> {
  await resolve(context, sessionId, (row) => {
    if (row.dialStatus !== null) return null;
    return { ...dial, answeredBy: detectsAnswerer(row.plan) ? null : "unknown" };
  });
}

/** Writes down who answered an outbound call, once, together with its `phone_call.dial_finished`. */
export async function resolveAnswerer(
  context: SessionContext,
  sessionId: string,
  answeredBy: AnsweredBy,
): Promise<void> {
  // Another instance may have the record of the answer in hand, which stands before in the log.
  const { dial } = await findUnbooked(context, sessionId);
  if (dial?.status === "answered") await resolve(context, sessionId, () => ({ ...dial, answeredBy }));
}

async function resolve(
  context: SessionContext,
  sessionId: string,
  dialOf: (row: SessionRow) => ResolvedDial | null,
): Promise<void> {
  const { db, bus, now } = context;
  const hasEvent = await db.transaction(async (tx) => {
    const [row] = await tx.select().from(agentSessions).where(eq(agentSessions.id, sessionId)).for("update");
    if (row === undefined || isOver(row) || !isDialOpen(row)) return false;
    const dial = dialOf(row);
    return dial !== null && (await bookDial(tx, context, row, dial, now())).hasEvent;
  });
  if (hasEvent) bus.publish(webhookWakeSubject, {});
}

/**
 * The same in a transaction that has locked the session. An answered call begins here. Gives the row as it is then, and
 * whether there is an event to send: not before it is known who answered.
 */
export async function bookDial(
  tx: Db,
  context: Pick<SessionContext, "sealer" | "log">,
  row: SessionRow,
  { status, at, answeredBy }: ResolvedDial,
  now: Date,
): Promise<{ row: SessionRow; hasEvent: boolean }> {
  const isAnswered = status === "answered";
  const change = {
    dialStatus: status,
    answeredBy: isAnswered ? answeredBy : null,
    ...(isAnswered ? { status: "active" as const, startedAt: row.startedAt ?? at } : {}),
  };
  await tx.update(agentSessions).set(change).where(eq(agentSessions.id, row.id));
  const booked: SessionRow = { ...row, ...change };
  if (isDialOpen(booked)) return { row: booked, hasEvent: false };
  const payload = dialFinished({ ...factsOf(booked), conversationEndedAt: null }, status, booked.answeredBy);
  return { row: booked, hasEvent: await announce(tx, context, booked, payload, now) };
}
