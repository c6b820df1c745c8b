import type { Migration } from "./migration.js";

/** The credit ledger takes the place of the simple balance: what teams had and were given moves into it. */
export const ledger: Migration = {
  name: "0050-ledger",
  statements: [
    `CREATE TABLE ledger_accounts (
      team_id text NOT NULL REFERENCES teams (id),
      kind text NOT NULL CHECK (kind IN ('credit', 'held', 'granted', 'spent')),
      balance_micros bigint NOT NULL,
      updated_at timestamptz NOT NULL,
      PRIMARY KEY (team_id, kind),
      CHECK (kind <> 'held' OR balance_micros >= 0)
    )`,
    `CREATE TABLE ledger_entries (
      id text PRIMARY KEY,
      team_id text NOT NULL REFERENCES teams (id),
      kind text NOT NULL CHECK (kind IN ('opening', 'grant', 'usage', 'hold', 'settlement', 'release')),
      note text NOT NULL,
      occurred_at timestamptz NOT NULL
    )`,
    "CREATE INDEX ledger_entries_team ON ledger_entries (team_id, occurred_at)",
    `CREATE TABLE ledger_postings (
      entry_id text NOT NULL REFERENCES ledger_entries (id),
      team_id text NOT NULL,
      kind text NOT NULL,
      amount_micros bigint NOT NULL CHECK (amount_micros <> 0),
      PRIMARY KEY (entry_id, kind),
      FOREIGN KEY (team_id, kind) REFERENCES ledger_accounts (team_id, kind)
    )`,
    "CREATE INDEX ledger_postings_team ON ledger_postings (team_id, kind)",
    `CREATE TABLE credit_holds (
      id text PRIMARY KEY,
      team_id text NOT NULL REFERENCES teams (id),
      purpose text NOT NULL,
      amount_micros bigint NOT NULL CHECK (amount_micros > 0),
      settled_micros bigint CHECK (settled_micros >= 0),
      created_at timestamptz NOT NULL,
      closed_at timestamptz
    )`,
    "CREATE INDEX credit_holds_open ON credit_holds (team_id) WHERE closed_at IS NULL",
    `INSERT INTO ledger_accounts (team_id, kind, balance_micros, updated_at)
      SELECT id, 'credit', balance_micros, updated_at FROM teams
      UNION ALL SELECT id, 'held', 0, updated_at FROM teams
      UNION ALL SELECT id, 'granted', -topped_up_micros, updated_at FROM teams
      UNION ALL SELECT id, 'spent', topped_up_micros - balance_micros, updated_at FROM teams`,
    `INSERT INTO ledger_entries (id, team_id, kind, note, occurred_at)
      SELECT 'opening:' || id, id, 'opening', 'carried over', updated_at FROM teams`,
    `INSERT INTO ledger_postings (entry_id, team_id, kind, amount_micros)
      SELECT 'opening:' || team_id, team_id, kind, balance_micros FROM ledger_accounts WHERE balance_micros <> 0`,
    "ALTER TABLE teams DROP COLUMN balance_micros, DROP COLUMN topped_up_micros",
  ],
};
