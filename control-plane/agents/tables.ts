import { boolean, integer, jsonb, pgTable, primaryKey, text, timestamp } from "drizzle-orm/pg-core";
import { agentStatuses, overrideNames } from "#protocol/agents/agent";
import type { AgentConfig } from "#protocol/agents/config";
import type { Attachments } from "./attachables.js";

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: "date" });

/** Agents as `0030-agents` creates them. */
export const agents = pgTable("agents", {
  id: text("id").primaryKey(),
  teamId: text("team_id").notNull(),
  name: text("name").notNull(),
  /** Name and description as searches compare them. */
  nameFolded: text("name_folded").notNull(),
  description: text("description").notNull(),
  descriptionFolded: text("description_folded").notNull(),
  status: text("status", { enum: agentStatuses }).notNull(),
  publicEnabled: boolean("public_enabled").notNull(),
  allowedOrigins: text("allowed_origins").array().notNull(),
  overridesAllowed: text("overrides_allowed", { enum: overrideNames }).array().notNull(),
  draft: jsonb("draft").$type<AgentConfig>().notNull(),
  draftUpdatedAt: instant("draft_updated_at").notNull(),
  /** The newest published version, which new sessions run; 0 before the first. */
  liveVersion: integer("live_version").notNull(),
  createdAt: instant("created_at").notNull(),
  updatedAt: instant("updated_at").notNull(),
});
export type AgentRow = typeof agents.$inferSelect;

/** Frozen snapshots; never changed once written. */
export const agentVersions = pgTable(
  "agent_versions",
  {
    agentId: text("agent_id").notNull(),
    versionNumber: integer("version_number").notNull(),
    config: jsonb("config").$type<AgentConfig>().notNull(),
    /** The tools and knowledge that the configuration refers to, as they were. */
    attachments: jsonb("attachments").$type<Attachments>().notNull(),
    configHash: text("config_hash").notNull(),
    title: text("title"),
    description: text("description"),
    publishedAt: instant("published_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.agentId, table.versionNumber] })],
);
export type VersionRow = typeof agentVersions.$inferSelect;
