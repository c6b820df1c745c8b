import type { Migration } from "./migration.js";

/** Teams, their users and keys, and what their requests cost. */
export const accounts: Migration = {
  name: "0001-accounts",
  statements: [
    `CREATE TABLE teams (
      id text PRIMARY KEY,
      name text NOT NULL,
      balance_micros bigint NOT NULL,
      topped_up_micros bigint NOT NULL,
      beta_access boolean NOT NULL,
      max_concurrent_streams integer NOT NULL,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL
    )`,
    `CREATE TABLE users (
      id text PRIMARY KEY,
      team_id text NOT NULL REFERENCES teams (id),
      nickname text NOT NULL,
      avatar text NOT NULL,
      created_at timestamptz NOT NULL
    )`,
    `CREATE TABLE api_keys (
      id text PRIMARY KEY,
      team_id text NOT NULL REFERENCES teams (id),
      user_id text NOT NULL REFERENCES users (id),
      name text NOT NULL,
      prefix text NOT NULL,
      digest text NOT NULL,
      scopes text[] NOT NULL,
      created_at timestamptz NOT NULL,
      expires_at timestamptz,
      revoked_at timestamptz,
      last_used_at timestamptz
    )`,
    "CREATE UNIQUE INDEX api_keys_digest ON api_keys (digest)",
    "CREATE INDEX api_keys_team ON api_keys (team_id)",
    `CREATE TABLE usage_records (
      usage_id text PRIMARY KEY,
      team_id text NOT NULL REFERENCES teams (id),
      key_id text NOT NULL,
      route text NOT NULL,
      model text NOT NULL,
      characters bigint NOT NULL,
      audio_ms bigint NOT NULL,
      cost_micros bigint NOT NULL,
      outcome text NOT NULL,
      trace_id text NOT NULL,
      finished_at timestamptz NOT NULL,
      settled_at timestamptz NOT NULL
    )`,
    "CREATE INDEX usage_records_team ON usage_records (team_id, finished_at)",
  ],
};
