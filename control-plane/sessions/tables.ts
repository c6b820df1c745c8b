import { bigint, integer, jsonb, pgTable, primaryKey, text, timestamp } from "drizzle-orm/pg-core";
import { sessionDirections, sessionSources, sessionStatuses, type TransferEntity } from "#protocol/agents/session";
import type { ConversationPlan } from "#protocol/bus/conversation";
import { endReasons } from "#protocol/bus/conversation-log";

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: "date" });
/** Integers past 2^31; all of ours stay below 2^53. */
const large = (name: string) => bigint(name, { mode: "number" });

/** Sessions as `0070-sessions` creates them. */
export const agentSessions = pgTable("agent_sessions", {
  id: text("id").primaryKey(),
  teamId: text("team_id").notNull(),
  agentId: text("agent_id").notNull(),
  agentName: text("agent_name").notNull(),
  /** 0 for the draft. */
  versionNumber: integer("version_number").notNull(),
  configHash: text("config_hash").notNull(),
  name: text("name"),
  status: text("status", { enum: sessionStatuses }).notNull(),
  source: text("source", { enum: sessionSources }).notNull(),
  direction: text("direction", { enum: sessionDirections }).notNull(),
  dialStatus: text("dial_status", { enum: ["answered", "busy", "no_answer", "failed"] }),
  answeredBy: text("answered_by", { enum: ["human", "voicemail", "unknown"] }),
  callerNumber: text("caller_number"),
  dialedNumber: text("dialed_number"),
  timezone: text("timezone"),
  endUserId: text("end_user_id"),
  metadata: jsonb("metadata").$type<Record<string, unknown>>().notNull(),
  plan: jsonb("plan").$type<ConversationPlan>().notNull(),
  /** What is held of the team's credit until the session is over (`holdIdOf`). */
  heldMicros: large("held_micros").notNull(),
  /** The runtime that holds the conversation; null while none does. */
  runtimeId: text("runtime_id"),
  /** Of the process that took it: the same id in another epoch is another process, which knows nothing of it. */
  runtimeEpoch: text("runtime_epoch"),
  attempt: integer("attempt").notNull(),
  /** While it has no runtime: until when one process is looking for one; then another may. */
  givenUntil: instant("given_until"),
  /** Since when it has no runtime, after it had one. */
  unheldSince: instant("unheld_since"),
  /** Who has not joined by then does not come. */
  joinBy: instant("join_by").notNull(),
  /** Past it the session is over, whatever its log says. */
  overBy: instant("over_by").notNull(),
  createdAt: instant("created_at").notNull(),
  startedAt: instant("started_at"),
  endedAt: instant("ended_at"),
  endedReason: text("ended_reason", { enum: endReasons }),
  endedDetail: text("ended_detail"),
  /** It has ended, and waits until then for records of its log that may come later than the end. */
  settleAt: instant("settle_at"),
  /** It is over, and its log is deleted then; null before its end, and once the log is gone. */
  purgeAt: instant("purge_at"),
  responder: text("responder"),
  /** Written when it is over. */
  transfers: jsonb("transfers").$type<TransferEntity[]>().notNull(),
});
export type SessionRow = typeof agentSessions.$inferSelect;

/** What was said and done in a session, and how long each reply took. */
export const agentSessionItems = pgTable(
  "agent_session_items",
  {
    sessionId: text("session_id").notNull(),
    /** Names the item within its session: a record of the log that comes again finds it. */
    key: text("key").notNull(),
    /** Of its first record, in the stream of all logs. */
    sequence: large("sequence").notNull(),
    type: text("type", { enum: ["message", "tool_call", "tool_result", "turn_latency"] }).notNull(),
    turnId: integer("turn_id"),
    /** The rest of it, as the API shows it. */
    content: jsonb("content").$type<Record<string, unknown>>().notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.sessionId, table.key] })],
);
export type SessionItemRow = typeof agentSessionItems.$inferSelect;

/** What a session's hold is called. */
export function holdIdOf(sessionId: string): string {
  return `session:${sessionId}`;
}
