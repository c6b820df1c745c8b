import { jsonb, pgTable, text, timestamp } from "drizzle-orm/pg-core";
import { phoneProviders, type SipConfig } from "#protocol/agents/phone";

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: "date" });

/** A trunk without its passwords: those live in the gateway only. */
export type SipRecord = Omit<SipConfig, "inbound_auth_password" | "termination_auth_password">;

/** Phone numbers as `0032-phone-numbers` creates them. */
export const phoneNumbers = pgTable("phone_numbers", {
  id: text("id").primaryKey(),
  teamId: text("team_id").notNull(),
  phoneNumber: text("phone_number").notNull(),
  provider: text("provider", { enum: phoneProviders }).notNull(),
  label: text("label").notNull(),
  /** Who answers; null rings busy. */
  agentId: text("agent_id"),
  status: text("status", { enum: ["provisioning", "active", "error"] }).notNull(),
  statusDetail: text("status_detail").notNull(),
  /** Imported numbers only. */
  sip: jsonb("sip").$type<SipRecord>(),
  createdAt: instant("created_at").notNull(),
  updatedAt: instant("updated_at").notNull(),
});
export type PhoneRow = typeof phoneNumbers.$inferSelect;
