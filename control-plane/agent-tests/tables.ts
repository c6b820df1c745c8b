import { jsonb, pgTable, primaryKey, text, timestamp } from "drizzle-orm/pg-core";
import { type TestDefinition, testTypes } from "#protocol/agents/tests";

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: "date" });

/** Tests as `0031-agent-tests` creates them. */
export const agentTests = pgTable("agent_tests", {
  id: text("id").primaryKey(),
  teamId: text("team_id").notNull(),
  name: text("name").notNull(),
  /** The name as searches compare it. */
  nameFolded: text("name_folded").notNull(),
  testType: text("test_type", { enum: testTypes }).notNull(),
  definition: jsonb("definition").$type<TestDefinition>().notNull(),
  createdAt: instant("created_at").notNull(),
  updatedAt: instant("updated_at").notNull(),
});
export type TestRow = typeof agentTests.$inferSelect;

export const agentTestAttachments = pgTable(
  "agent_test_attachments",
  { testId: text("test_id").notNull(), agentId: text("agent_id").notNull() },
  (table) => [primaryKey({ columns: [table.testId, table.agentId] })],
);
