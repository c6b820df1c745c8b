import { boolean, integer, jsonb, pgTable, text, timestamp } from "drizzle-orm/pg-core";
import { phoneProviders, type SipConfig } from "#protocol/agents/phone";

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: "date" });

/** A trunk without its passwords. */
export type SipRecord = Omit<SipConfig, "inbound_auth_password" | "termination_auth_password">;

/** The passwords of a trunk, sealed; one that there is none of is absent. */
export interface SipSecrets {
  inbound?: string;
  termination?: string;
}

/** Phone numbers as `0032-phone-numbers` and `0120-phone-provisioning` create them. */
export const phoneNumbers = pgTable("phone_numbers", {
  id: text("id").primaryKey(),
  teamId: text("team_id").notNull(),
  phoneNumber: text("phone_number").notNull(),
  provider: text("provider", { enum: phoneProviders }).notNull(),
  label: text("label").notNull(),
  /** Who answers; with null callers are told that it is busy. */
  agentId: text("agent_id"),
  status: text("status", { enum: ["provisioning", "active", "error"] }).notNull(),
  statusDetail: text("status_detail").notNull(),
  /** Imported numbers only. */
  sip: jsonb("sip").$type<SipRecord>(),
  sipSecrets: jsonb("sip_secrets").$type<SipSecrets>().notNull().default({}),
  /**
   * What is being done with the provider: getting the number, finding out whether it was got, giving it back. Whoever
   * takes the number up at `due_at` goes on with it.
   */
  step: text("step", { enum: ["acquiring", "checking", "releasing"] }),
  dueAt: instant("due_at"),
  /** Counts the times that this number was asked for: each has a charge of its own. */
  attempt: integer("attempt").notNull().default(0),
  /** What the provider calls it; null where it has no name for it, or does not have it. */
  providerId: text("provider_id"),
  /** Until when rent is paid; null for a number that costs none. */
  rentedUntil: instant("rented_until"),
  createdAt: instant("created_at").notNull(),
  updatedAt: instant("updated_at").notNull(),
});
export type PhoneRow = typeof phoneNumbers.$inferSelect;

/** One row: what this installation is called at a LiveKit server, and until when somebody compares it with the numbers. */
export const phoneGateway = pgTable("phone_gateway", {
  onlyRow: boolean("only_row").primaryKey(),
  installationId: text("installation_id").notNull(),
  /** Whether a number was ever placed there: until then the server, which may have no SIP, is not asked. */
  inUse: boolean("in_use").notNull().default(false),
  alignedBy: instant("aligned_by").notNull(),
});
