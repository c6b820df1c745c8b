import type { AnalyticsEngine } from "./engine.js";

/** One step of the analytics schema: the same on a server and embedded. Steps are only ever added. */
interface AnalyticsMigration {
  name: string;
  statements: string[];
}

/*
 * ReplacingMergeTree keeps one row of equal sorting keys, and readers say FINAL: a usage id counts once however often
 * it was inserted. The deduplication window spares the disk the commonest repetition, the same batch again.
 */
const usage: AnalyticsMigration = {
  name: "0001-usage",
  statements: [
    `CREATE TABLE IF NOT EXISTS parley_usage (
      usage_id String,
      team_id String,
      key_id String,
      route LowCardinality(String),
      model LowCardinality(String),
      characters UInt64,
      audio_ms UInt64,
      first_audio_ms Nullable(Float64),
      total_ms Nullable(Float64),
      cost_micros Int64,
      outcome LowCardinality(String),
      trace_id String,
      finished_at DateTime64(3, 'UTC')
    )
    ENGINE = ReplacingMergeTree
    PARTITION BY toYYYYMM(finished_at)
    ORDER BY (team_id, toDate(finished_at), usage_id)
    TTL toDateTime(finished_at) + INTERVAL 13 MONTH
    SETTINGS non_replicated_deduplication_window = 1000`,
  ],
};

/*
 * Sorted by trace: `parley trace` reads one. A span that came twice is one row to whoever says FINAL, as with usage.
 */
const spans: AnalyticsMigration = {
  name: "0060-spans",
  statements: [
    `CREATE TABLE IF NOT EXISTS parley_spans (
      trace_id FixedString(32),
      span_id FixedString(16),
      parent_span_id String,
      name LowCardinality(String),
      kind LowCardinality(String),
      role LowCardinality(String),
      member_id String,
      started_at DateTime64(6, 'UTC'),
      duration_us UInt64,
      failed Bool,
      attributes Map(LowCardinality(String), String)
    )
    ENGINE = ReplacingMergeTree
    PARTITION BY toMonday(started_at)
    ORDER BY (trace_id, span_id)
    TTL toDateTime(started_at) + INTERVAL 14 DAY
    SETTINGS non_replicated_deduplication_window = 1000`,
  ],
};

const conversations: AnalyticsMigration = {
  name: "0090-conversation-usage",
  statements: [
    "ALTER TABLE parley_usage ADD COLUMN IF NOT EXISTS conversation_ms UInt64 DEFAULT 0",
    "ALTER TABLE parley_usage ADD COLUMN IF NOT EXISTS agent_id String DEFAULT ''",
  ],
};

export const analyticsMigrations: readonly AnalyticsMigration[] = [usage, spans, conversations];

/**
 * Brings the schema up to date; gives the names of the steps that ran. Every statement may run twice: ClickHouse has no
 * transactions.
 */
export async function migrateAnalytics(engine: AnalyticsEngine): Promise<string[]> {
  await engine.command(
    "CREATE TABLE IF NOT EXISTS parley_migrations (name String) ENGINE = ReplacingMergeTree ORDER BY name",
  );
  const rows = (await engine.query("SELECT DISTINCT name FROM parley_migrations", {})) as { name: string }[];
  const done = new Set(rows.map((row) => row.name));
  const missing = analyticsMigrations.filter(({ name }) => !done.has(name));
  for (const { name, statements } of missing) {
    for (const statement of statements) await engine.command(statement);
    await engine.insert("parley_migrations", [{ name }], name);
  }
  return missing.map(({ name }) => name);
}
