import type { Migration } from "./migration.js";

/** Phone numbers. A released one's row is gone. */
export const phoneNumbers: Migration = {
  name: "0032-phone-numbers",
  statements: [
    `CREATE TABLE phone_numbers (
      id text PRIMARY KEY,
      team_id text NOT NULL REFERENCES teams (id),
      phone_number text NOT NULL,
      provider text NOT NULL CHECK (provider IN ('livekit', 'twilio', 'sip')),
      label text NOT NULL,
      agent_id text REFERENCES agents (id) ON DELETE SET NULL,
      status text NOT NULL CHECK (status IN ('provisioning', 'active', 'error')),
      status_detail text NOT NULL,
      sip jsonb,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL
    )`,
    "CREATE INDEX phone_numbers_team ON phone_numbers (team_id, created_at DESC, id DESC)",
    "CREATE UNIQUE INDEX phone_numbers_of_team ON phone_numbers (team_id, phone_number)",
    "CREATE UNIQUE INDEX phone_numbers_held ON phone_numbers (phone_number) WHERE status IN ('provisioning', 'active')",
    "CREATE INDEX phone_numbers_agent ON phone_numbers (agent_id)",
  ],
};
