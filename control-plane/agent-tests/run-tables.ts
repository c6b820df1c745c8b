import { integer, jsonb, pgTable, primaryKey, text, timestamp } from "drizzle-orm/pg-core";
import { type TestRunResult, testRunStates } from "#protocol/agents/test-runs";
import { type TestDefinition, testTypes } from "#protocol/agents/tests";
import type { ConversationPlan } from "#protocol/bus/conversation";

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: "date" });

/*
 * The tables as `0080-test-runs` creates them.
 */

export const agentTestBatches = pgTable("agent_test_batches", {
  id: text("id").primaryKey(),
  teamId: text("team_id").notNull(),
  agentId: text("agent_id").notNull(),
  configHash: text("config_hash").notNull(),
  /** The draft as it was when the batch was started. */
  plan: jsonb("plan").$type<ConversationPlan>().notNull(),
  createdAt: instant("created_at").notNull(),
});
export type BatchRow = typeof agentTestBatches.$inferSelect;

/** The tests of a batch as they were when it was started. */
export const agentTestBatchTests = pgTable(
  "agent_test_batch_tests",
  {
    batchId: text("batch_id").notNull(),
    testId: text("test_id").notNull(),
    definition: jsonb("definition").$type<TestDefinition>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.batchId, table.testId] })],
);

export const agentTestRuns = pgTable("agent_test_runs", {
  id: text("id").primaryKey(),
  batchId: text("batch_id").notNull(),
  teamId: text("team_id").notNull(),
  agentId: text("agent_id").notNull(),
  testId: text("test_id").notNull(),
  testName: text("test_name").notNull(),
  testType: text("test_type", { enum: testTypes }).notNull(),
  repeatIndex: integer("repeat_index").notNull(),
  /** Within the batch, from 0. */
  position: integer("position").notNull(),
  configHash: text("config_hash").notNull(),
  status: text("status", { enum: testRunStates }).notNull(),
  /** How often a runtime has taken it. */
  attempt: integer("attempt").notNull(),
  /** Until when the runtime that took it may say nothing; null where no runtime has it. */
  leaseUntil: instant("lease_until"),
  /** Null until it is finished. */
  result: jsonb("result").$type<TestRunResult>(),
  createdAt: instant("created_at").notNull(),
  startedAt: instant("started_at"),
  finishedAt: instant("finished_at"),
});
export type RunRow = typeof agentTestRuns.$inferSelect;
