import { bigint, integer, pgTable, text, timestamp } from "drizzle-orm/pg-core";
import { recordingStatuses } from "#protocol/agents/recording";

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: "date" });
const large = (name: string) => bigint(name, { mode: "number" });

/** Why there is no file of a recording. */
const recordingErrors = ["no_audio", "storage_failed"] as const;

/** Recordings as `0091-recordings` creates them; the record of one is made at the end of its session. */
export const agentRecordings = pgTable("agent_recordings", {
  sessionId: text("session_id").primaryKey(),
  status: text("status", { enum: recordingStatuses }).notNull(),
  /** Attempts of runtimes to hold the conversation: each may have stored segments. */
  runtimeAttempts: integer("runtime_attempts").notNull(),
  /** When the caller joined: the beginning of both tracks. */
  startedAt: instant("started_at").notNull(),
  /** When its segments may be joined, or joined by another instance; null once it is over. */
  dueAt: instant("due_at"),
  /** From then on it is joined although no runtime said that it stored everything, and then fails where it cannot be. */
  giveUpAt: instant("give_up_at").notNull(),
  /** Counts the instances that began to join it: only the last one may say that it has. */
  joinAttempt: integer("join_attempt").notNull(),
  durationMs: integer("duration_ms"),
  agentBytes: large("agent_bytes"),
  userBytes: large("user_bytes"),
  errorCode: text("error_code", { enum: recordingErrors }),
  finishedAt: instant("finished_at"),
});
export type RecordingRow = typeof agentRecordings.$inferSelect;
