import type { Migration } from "./migration.js";

/** Agents with their drafts, and what was published of them. */
export const agents: Migration = {
  name: "0030-agents",
  statements: [
    `CREATE TABLE agents (
      id text PRIMARY KEY,
      team_id text NOT NULL REFERENCES teams (id),
      name text NOT NULL,
      name_folded text NOT NULL,
      description text NOT NULL,
      description_folded text NOT NULL,
      status text NOT NULL CHECK (status IN ('active', 'archived')),
      public_enabled boolean NOT NULL,
      allowed_origins text[] NOT NULL,
      overrides_allowed text[] NOT NULL,
      draft jsonb NOT NULL,
      draft_updated_at timestamptz NOT NULL,
      live_version integer NOT NULL CHECK (live_version >= 0),
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL
    )`,
    "CREATE INDEX agents_team ON agents (team_id, created_at DESC, id DESC)",
    "CREATE INDEX agents_draft_tools ON agents USING gin ((draft -> 'tools' -> 'tool_ids'))",
    "CREATE INDEX agents_draft_knowledge ON agents USING gin ((draft -> 'knowledge_base' -> 'knowledge_source_ids'))",
    `CREATE TABLE agent_versions (
      agent_id text NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
      version_number integer NOT NULL CHECK (version_number > 0),
      config jsonb NOT NULL,
      attachments jsonb NOT NULL,
      config_hash text NOT NULL,
      title text,
      description text,
      published_at timestamptz NOT NULL,
      PRIMARY KEY (agent_id, version_number)
    )`,
    "CREATE INDEX agent_versions_knowledge ON agent_versions USING gin ((config -> 'knowledge_base' -> 'knowledge_source_ids'))",
  ],
};
