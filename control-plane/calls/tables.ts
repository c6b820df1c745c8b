import { pgTable, primaryKey, text, timestamp } from "drizzle-orm/pg-core";

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: "date" });

/** Phone calls as `0130-phone-calls` creates them: what a session that is one has besides. */
export const phoneCalls = pgTable("phone_calls", {
  sessionId: text("session_id").primaryKey(),
  teamId: text("team_id").notNull(),
  phoneNumberId: text("phone_number_id").notNull(),
  direction: text("direction", { enum: ["inbound", "outbound"] }).notNull(),
  createdAt: instant("created_at").notNull(),
});

/** The requests for calls that named themselves with an `Idempotency-Key`. */
export const phoneCallKeys = pgTable(
  "phone_call_keys",
  {
    teamId: text("team_id").notNull(),
    key: text("key").notNull(),
    /** Of what was asked for. */
    bodyDigest: text("body_digest").notNull(),
    sessionId: text("session_id").notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.key] })],
);

/** Calls that came in, by the room that LiveKit SIP made for each: however many hear of one, one takes it. */
export const phoneLines = pgTable("phone_lines", {
  room: text("room").primaryKey(),
  /** Until when one process has it for itself; another one goes on after that. */
  claimedUntil: instant("claimed_until").notNull(),
  /** The session that it became; null while it is none, and for one that could not become any. */
  sessionId: text("session_id"),
  createdAt: instant("created_at").notNull(),
});
