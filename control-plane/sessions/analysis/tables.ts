import { integer, jsonb, pgTable, text, timestamp } from "drizzle-orm/pg-core";
import { type AnalysisResult, analysisStates } from "#protocol/agents/analysis";

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: "date" });

/** Analyses of sessions as `0081-session-analyses` creates them. */
export const agentSessionAnalyses = pgTable("agent_session_analyses", {
  sessionId: text("session_id").primaryKey(),
  teamId: text("team_id").notNull(),
  status: text("status", { enum: analysisStates }).notNull(),
  /** How often a runtime has taken it, repeated analyses included: no two takings are of one attempt. */
  attempt: integer("attempt").notNull(),
  /** Runtimes that were lost over it since it was queued. */
  lostAttempts: integer("lost_attempts").notNull(),
  /** Until when the runtime that took it may say nothing; null where no runtime has it. */
  leaseUntil: instant("lease_until"),
  /** Null while it is queued or under way. */
  result: jsonb("result").$type<AnalysisResult>(),
  queuedAt: instant("queued_at").notNull(),
  /** Of the newest result, which may be one that a repeated analysis has cleared; null before the first. */
  finishedAt: instant("finished_at"),
});
export type AnalysisRow = typeof agentSessionAnalyses.$inferSelect;
