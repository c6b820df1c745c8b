import { jsonb, pgTable, text, timestamp } from "drizzle-orm/pg-core";
import type { ToolDefinition } from "#tools/definition";

/** Tools as `0040-tools` creates them. */
export const tools = pgTable("tools", {
  id: text("id").primaryKey(),
  teamId: text("team_id").notNull(),
  toolType: text("tool_type", { enum: ["webhook", "client", "integration"] }).notNull(),
  name: text("name").notNull(),
  /** The name as searches compare it. */
  nameFolded: text("name_folded").notNull(),
  /** Everything that is no secret. */
  definition: jsonb("definition").$type<ToolDefinition>().notNull(),
  /** Sealed values of the credential headers, by lower-case header name. */
  secrets: jsonb("secrets").$type<Record<string, string>>().notNull(),
  createdAt: timestamp("created_at", { withTimezone: true, mode: "date" }).notNull(),
  updatedAt: timestamp("updated_at", { withTimezone: true, mode: "date" }).notNull(),
});

export type ToolRow = typeof tools.$inferSelect;
