import type { Migration } from "./migration.js";

/** Phone calls, and the requests for them that are answered once. */
export const phoneCalls: Migration = {
  name: "0130-phone-calls",
  statements: [
    `CREATE TABLE phone_calls (
      session_id text PRIMARY KEY REFERENCES agent_sessions (id) ON DELETE CASCADE,
      team_id text NOT NULL REFERENCES teams (id),
      phone_number_id text NOT NULL,
      direction text NOT NULL CHECK (direction IN ('inbound', 'outbound')),
      created_at timestamptz NOT NULL
    )`,
    "CREATE INDEX phone_calls_team ON phone_calls (team_id, created_at)",
    `CREATE TABLE phone_call_keys (
      team_id text NOT NULL REFERENCES teams (id),
      key text NOT NULL,
      body_digest text NOT NULL,
      session_id text NOT NULL REFERENCES agent_sessions (id) ON DELETE CASCADE,
      created_at timestamptz NOT NULL,
      PRIMARY KEY (team_id, key)
    )`,
    `CREATE TABLE phone_lines (
      room text PRIMARY KEY,
      claimed_until timestamptz NOT NULL,
      session_id text,
      created_at timestamptz NOT NULL
    )`,
    "CREATE INDEX phone_lines_age ON phone_lines (created_at)",
    `ALTER TABLE agent_sessions
      ADD CHECK (dial_status IN ('answered', 'busy', 'no_answer', 'failed')),
      ADD CHECK (answered_by IN ('human', 'voicemail', 'unknown'))`,
  ],
};
