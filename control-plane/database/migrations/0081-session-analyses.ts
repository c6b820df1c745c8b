import type { Migration } from "./migration.js";

/** Analyses of sessions that are over: one row for each, which a repeated analysis uses again. */
export const sessionAnalyses: Migration = {
  name: "0081-session-analyses",
  statements: [
    `CREATE TABLE agent_session_analyses (
      session_id text PRIMARY KEY REFERENCES agent_sessions (id) ON DELETE CASCADE,
      team_id text NOT NULL,
      status text NOT NULL CHECK (status IN ('queued', 'running', 'completed', 'skipped', 'error')),
      attempt integer NOT NULL CHECK (attempt >= 0),
      lost_attempts integer NOT NULL CHECK (lost_attempts >= 0),
      lease_until timestamptz,
      result jsonb,
      queued_at timestamptz NOT NULL,
      finished_at timestamptz,
      CHECK ((status IN ('completed', 'skipped', 'error')) = (result IS NOT NULL)),
      CHECK (result IS NULL OR finished_at IS NOT NULL),
      CHECK ((status = 'running') = (lease_until IS NOT NULL))
    )`,
    "CREATE INDEX agent_session_analyses_queued ON agent_session_analyses (queued_at) WHERE status = 'queued'",
    "CREATE INDEX agent_session_analyses_running ON agent_session_analyses (team_id) WHERE status = 'running'",
  ],
};
