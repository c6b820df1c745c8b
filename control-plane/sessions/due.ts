import { hasCome } from "../set-clock.js";
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

/**
 * A runtime that holds a session knows how long it has lasted whatever the clock is set to, and ends it by itself: only
 * one that is so much later still held is not to be trusted.
 */
const HELD_GRACE_MS = 2 * 3_600_000;
/** No settling and no search for a runtime is put off further. */
const FARTHEST_MS = 60_000;

/** What is known of the runtime of a session. */
export interface Holding {
  /** It does not live any more. */
  isGone: boolean;
  /** It lives, and says that it holds the session. */
  isHeld: boolean;
}

/** Says what is due. */
export function dueOf(session: OpenSession, now: Date, { isGone, isHeld }: Holding): Due {
  const isPast = (time: Date, graceMs = 0): boolean => time.getTime() + graceMs <= now.getTime();
  if (session.settleAt !== null) return hasCome(session.settleAt, now, FARTHEST_MS) ? "settle" : null;
  if (session.status === "pending" && isPast(session.joinBy, JOIN_GRACE_MS)) return "never-joined";
  if (isPast(session.overBy, isHeld ? HELD_GRACE_MS : 0)) return "forgotten";
  if (session.runtimeId !== null) return isGone ? "take-over" : null;
  // One that never had a runtime is still being created, or was left so: nobody has its token.
  if (session.unheldSince === null) return null;
  return session.givenUntil === null || hasCome(session.givenUntil, now, FARTHEST_MS) ? "take-over" : null;
}
