import type { Migration } from "./migration.js";

/** Tools of a team's workspace. Credential header values are in `secrets`, sealed. */
export const tools: Migration = {
  name: "0040-tools",
  statements: [
    `CREATE TABLE tools (
      id text PRIMARY KEY,
      team_id text NOT NULL REFERENCES teams (id),
      tool_type text NOT NULL CHECK (tool_type IN ('webhook', 'client', 'integration')),
      name text NOT NULL,
      name_folded text NOT NULL,
      definition jsonb NOT NULL,
      secrets jsonb NOT NULL,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL
    )`,
    "CREATE INDEX tools_team ON tools (team_id, created_at DESC, id DESC)",
  ],
};
