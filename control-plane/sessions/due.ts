import type { SessionRow } from "./tables.js";

/** What of an open session the sweep looks at. */
export type OpenSession = Pick<
  SessionRow,
  | "id"
  | "status"
  | "attempt"
  | "runtimeId"
  | "runtimeEpoch"
  | "givenUntil"
  | "unheldSince"
  | "joinBy"
  | "overBy"
  | "settleAt"
  | "endedAt"
  | "endedReason"
  | "endedDetail"
>;

/** What is to be done about an open session. */
export type Due = "settle" | "never-joined" | "forgotten" | "take-over" | null;

/**
 * A runtime ends a session by itself that nobody joins. One whose log says nothing so long after its deadline will not
 * be joined any more.
 */
const JOIN_GRACE_MS = 10_000;

/** Says what is due. `isGone`: the runtime that holds it does not live any more. */
export function dueOf(session: OpenSession, now: Date, isGone: boolean): Due {
  const isPast = (time: Date, graceMs = 0): boolean => time.getTime() + graceMs <= now.getTime();
  if (session.settleAt !== null) return isPast(session.settleAt) ? "settle" : null;
  if (session.status === "pending" && isPast(session.joinBy, JOIN_GRACE_MS)) return "never-joined";
  if (isPast(session.overBy)) return "forgotten";
  if (session.runtimeId !== null) return isGone ? "take-over" : null;
  // One that never had a runtime is still being created, or was left so: nobody has its token.
  if (session.unheldSince === null) return null;
  return session.givenUntil === null || isPast(session.givenUntil) ? "take-over" : null;
}
