import type { Migration } from "./migration.js";

/** Scripted tests of agents, and the agents that each is attached to. */
export const agentTests: Migration = {
  name: "0031-agent-tests",
  statements: [
    `CREATE TABLE agent_tests (
      id text PRIMARY KEY,
      team_id text NOT NULL REFERENCES teams (id),
      name text NOT NULL,
      name_folded text NOT NULL,
      test_type text NOT NULL CHECK (test_type IN ('next_reply', 'tool', 'simulation')),
      definition jsonb NOT NULL,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL
    )`,
    "CREATE INDEX agent_tests_team ON agent_tests (team_id, created_at DESC, id DESC)",
    `CREATE TABLE agent_test_attachments (
      test_id text NOT NULL REFERENCES agent_tests (id) ON DELETE CASCADE,
      agent_id text NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
      PRIMARY KEY (test_id, agent_id)
    )`,
    "CREATE INDEX agent_test_attachments_agent ON agent_test_attachments (agent_id)",
  ],
};
