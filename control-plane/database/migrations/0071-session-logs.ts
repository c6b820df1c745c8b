import type { Migration } from "./migration.js";

/** The log of a conversation goes once the session is over and its records are written. */
export const sessionLogs: Migration = {
  name: "0071-session-logs",
  statements: [
    "ALTER TABLE agent_sessions ADD COLUMN purge_at timestamptz",
    "CREATE INDEX agent_sessions_purge ON agent_sessions (purge_at) WHERE purge_at IS NOT NULL",
  ],
};
