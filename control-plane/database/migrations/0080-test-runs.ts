import type { Migration } from "./migration.js";

/** Runs of agents' tests: a batch with its draft, the tests as they were, and one row for each run. */
export const testRuns: Migration = {
  name: "0080-test-runs",
  statements: [
    `CREATE TABLE agent_test_batches (
      id text PRIMARY KEY,
      team_id text NOT NULL REFERENCES teams (id),
      agent_id text NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
      config_hash text NOT NULL,
      plan jsonb NOT NULL,
      created_at timestamptz NOT NULL
    )`,
    "CREATE INDEX agent_test_batches_agent ON agent_test_batches (agent_id, created_at DESC, id DESC)",
    `CREATE TABLE agent_test_batch_tests (
      batch_id text NOT NULL REFERENCES agent_test_batches (id) ON DELETE CASCADE,
      test_id text NOT NULL,
      definition jsonb NOT NULL,
      PRIMARY KEY (batch_id, test_id)
    )`,
    `CREATE TABLE agent_test_runs (
      id text PRIMARY KEY,
      batch_id text NOT NULL REFERENCES agent_test_batches (id) ON DELETE CASCADE,
      team_id text NOT NULL,
      agent_id text NOT NULL,
      test_id text NOT NULL,
      test_name text NOT NULL,
      test_type text NOT NULL CHECK (test_type IN ('next_reply', 'tool', 'simulation')),
      repeat_index integer NOT NULL CHECK (repeat_index >= 0),
      position integer NOT NULL CHECK (position >= 0),
      config_hash text NOT NULL,
      status text NOT NULL CHECK (status IN ('queued', 'running', 'passed', 'failed', 'error')),
      attempt integer NOT NULL CHECK (attempt >= 0),
      lease_until timestamptz,
      result jsonb,
      created_at timestamptz NOT NULL,
      started_at timestamptz,
      finished_at timestamptz,
      UNIQUE (batch_id, position),
      CHECK ((status IN ('passed', 'failed', 'error')) = (result IS NOT NULL)),
      CHECK ((status IN ('passed', 'failed', 'error')) = (finished_at IS NOT NULL)),
      CHECK ((status = 'running') = (lease_until IS NOT NULL))
    )`,
    "CREATE INDEX agent_test_runs_team ON agent_test_runs (team_id, created_at DESC, id DESC)",
    "CREATE INDEX agent_test_runs_open ON agent_test_runs (team_id, created_at, position) WHERE status IN ('queued', 'running')",
  ],
};
