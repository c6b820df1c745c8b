import type { Migration } from "./migration.js";

/** Events for webhooks, and their way to each endpoint. */
export const webhooks: Migration = {
  name: "0020-webhooks",
  statements: [
    `CREATE TABLE webhook_events (
      id text PRIMARY KEY,
      team_id text NOT NULL REFERENCES teams (id),
      agent_id text NOT NULL,
      session_id text NOT NULL,
      position integer NOT NULL,
      event text NOT NULL,
      dedup_key text NOT NULL UNIQUE,
      body text NOT NULL,
      created_at timestamptz NOT NULL,
      UNIQUE (session_id, position)
    )`,
    "CREATE INDEX webhook_events_age ON webhook_events (created_at)",
    `CREATE TABLE webhook_deliveries (
      id text PRIMARY KEY,
      event_id text NOT NULL REFERENCES webhook_events (id) ON DELETE CASCADE,
      team_id text NOT NULL,
      agent_id text NOT NULL,
      session_id text NOT NULL,
      event text NOT NULL,
      position integer NOT NULL,
      endpoint text NOT NULL,
      url text NOT NULL,
      sealed_secret text,
      redelivery_of text,
      status text NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
      attempts integer NOT NULL,
      due_at timestamptz,
      lease text,
      created_at timestamptz NOT NULL,
      finished_at timestamptz
    )`,
    // What is due; deliveries that wait for an earlier one of their session are not in it.
    "CREATE INDEX webhook_deliveries_due ON webhook_deliveries (due_at) WHERE status = 'pending' AND due_at IS NOT NULL",
    "CREATE INDEX webhook_deliveries_order ON webhook_deliveries (session_id, endpoint, position) WHERE status = 'pending'",
    "CREATE INDEX webhook_deliveries_team ON webhook_deliveries (team_id, created_at, id)",
    "CREATE INDEX webhook_deliveries_event ON webhook_deliveries (event_id)",
    `CREATE TABLE webhook_attempts (
      delivery_id text NOT NULL REFERENCES webhook_deliveries (id) ON DELETE CASCADE,
      number integer NOT NULL,
      started_at timestamptz NOT NULL,
      duration_ms integer NOT NULL,
      status_code integer,
      error text,
      PRIMARY KEY (delivery_id, number)
    )`,
  ],
};
