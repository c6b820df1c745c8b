import type { Migration } from "./migration.js";

/** Who is signed in to the console, and the links that sign in; all known by their digests. */
export const consoleSessions: Migration = {
  name: "0100-console-sessions",
  statements: [
    `CREATE TABLE console_sessions (
      digest text PRIMARY KEY,
      key_digest text NOT NULL,
      created_at timestamptz NOT NULL,
      expires_at timestamptz NOT NULL
    )`,
    "CREATE INDEX console_sessions_key ON console_sessions (key_digest)",
    "CREATE INDEX console_sessions_expiry ON console_sessions (expires_at)",
    `CREATE TABLE console_sign_in_codes (
      digest text PRIMARY KEY,
      key_digest text NOT NULL,
      expires_at timestamptz NOT NULL
    )`,
    "CREATE INDEX console_sign_in_codes_expiry ON console_sign_in_codes (expires_at)",
  ],
};
