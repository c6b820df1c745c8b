import { integer, pgTable, primaryKey, text, timestamp } from "drizzle-orm/pg-core";
import { webhookDeliveryStatuses } from "#protocol/webhooks";

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: "date" });

/** The outbox, as `0020-webhooks` creates it: the events to send, each written in the transaction that made it true. */
export const webhookEvents = pgTable("webhook_events", {
  id: text("id").primaryKey(),
  teamId: text("team_id").notNull(),
  agentId: text("agent_id").notNull(),
  sessionId: text("session_id").notNull(),
  /** Among the session's events, from 1. */
  position: integer("position").notNull(),
  event: text("event").notNull(),
  /** By what receivers recognize duplicates; a second event with the same key is not written. */
  dedupKey: text("dedup_key").notNull(),
  /** The request body, the same to the byte for every endpoint and attempt. */
  body: text("body").notNull(),
  createdAt: instant("created_at").notNull(),
});

/** One event on its way to one endpoint. */
export const webhookDeliveries = pgTable("webhook_deliveries", {
  id: text("id").primaryKey(),
  eventId: text("event_id").notNull(),
  teamId: text("team_id").notNull(),
  agentId: text("agent_id").notNull(),
  sessionId: text("session_id").notNull(),
  event: text("event").notNull(),
  position: integer("position").notNull(),
  /** Digest of the URL: deliveries of one session to one endpoint keep their order. */
  endpoint: text("endpoint").notNull(),
  url: text("url").notNull(),
  /** Sealed for `deliverySecretContext(id)`; null when the endpoint has no secret. */
  sealedSecret: text("sealed_secret"),
  /** Asked for by hand; it stands outside of the order. */
  redeliveryOf: text("redelivery_of"),
  status: text("status", { enum: webhookDeliveryStatuses }).notNull(),
  /** Attempts whose outcome is known. */
  attempts: integer("attempts").notNull(),
  /**
   * When it may be taken next: also the end of the lease of whoever has taken it. Null while an earlier one of its
   * session is pending.
   */
  dueAt: instant("due_at"),
  /** Names the taking; a result that comes under another one is not booked. */
  lease: text("lease"),
  createdAt: instant("created_at").notNull(),
  finishedAt: instant("finished_at"),
});

export const webhookAttempts = pgTable(
  "webhook_attempts",
  {
    deliveryId: text("delivery_id").notNull(),
    number: integer("number").notNull(),
    startedAt: instant("started_at").notNull(),
    durationMs: integer("duration_ms").notNull(),
    statusCode: integer("status_code"),
    error: text("error"),
  },
  (table) => [primaryKey({ columns: [table.deliveryId, table.number] })],
);
