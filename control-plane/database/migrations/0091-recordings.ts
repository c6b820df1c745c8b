import type { Migration } from "./migration.js";

/** Recordings of conversations, from the end of the conversation on. */
export const recordings: Migration = {
  name: "0091-recordings",
  statements: [
    `CREATE TABLE agent_recordings (
      session_id text PRIMARY KEY REFERENCES agent_sessions (id) ON DELETE CASCADE,
      status text NOT NULL CHECK (status IN ('processing', 'complete', 'failed')),
      runtime_attempts integer NOT NULL CHECK (runtime_attempts > 0),
      started_at timestamptz NOT NULL,
      due_at timestamptz,
      give_up_at timestamptz NOT NULL,
      join_attempt integer NOT NULL CHECK (join_attempt >= 0),
      duration_ms integer CHECK (duration_ms >= 0),
      agent_bytes bigint CHECK (agent_bytes >= 0),
      user_bytes bigint CHECK (user_bytes >= 0),
      error_code text,
      finished_at timestamptz,
      CHECK ((status = 'processing') = (due_at IS NOT NULL)),
      CHECK ((status = 'processing') = (finished_at IS NULL)),
      CHECK ((status = 'complete') = (duration_ms IS NOT NULL AND agent_bytes IS NOT NULL AND user_bytes IS NOT NULL)),
      CHECK ((status = 'failed') = (error_code IS NOT NULL))
    )`,
    "CREATE INDEX agent_recordings_due ON agent_recordings (due_at) WHERE status = 'processing'",
    "CREATE INDEX agent_recordings_finished ON agent_recordings (finished_at) WHERE status <> 'processing'",
  ],
};
