import { z } from "zod";
import type { UsageRecord } from "#protocol/bus/control";
import type { UsageDimension } from "#protocol/usage";
import { sha256Hex } from "#common/identifier";
import { costMicros } from "../accounts/prices.js";
import type { AnalyticsEngine } from "./engine.js";
import { intervalOf, MAX_USAGE_LINES, type UsageQuery, type UsageSums } from "./usage-query.js";

/** Usage as the table has it. */
export interface UsageRow
  extends Pick<
    UsageRecord,
    | "usageId"
    | "teamId"
    | "keyId"
    | "agentId"
    | "route"
    | "model"
    | "characters"
    | "audioMs"
    | "conversationMs"
    | "traceId"
    | "finishedAtMs"
  > {
  outcome: string;
  firstAudioMs: number | null;
  totalMs: number | null;
  costMicros: number;
}

/** Puts usage into the analytics engine. Records that it has already change nothing that a reader sees. */
export async function insertUsage(engine: AnalyticsEngine, records: readonly UsageRecord[]): Promise<void> {
  await insertUsageRows(
    engine,
    records.map((record) => ({ ...record, costMicros: costMicros(record) })),
  );
}

/** As `insertUsage`, with costs that are settled. */
export async function insertUsageRows(engine: AnalyticsEngine, rows: readonly UsageRow[]): Promise<void> {
  if (rows.length === 0) return;
  const token = sha256Hex(rows.map((row) => row.usageId).join("\n"));
  await engine.insert("parley_usage", rows.map(jsonOf), token);
}

function jsonOf(row: UsageRow): object {
  return {
    usage_id: row.usageId,
    team_id: row.teamId,
    key_id: row.keyId,
    route: row.route,
    model: row.model,
    characters: row.characters,
    audio_ms: row.audioMs,
    conversation_ms: row.conversationMs ?? 0,
    agent_id: row.agentId ?? "",
    first_audio_ms: row.firstAudioMs,
    total_ms: row.totalMs,
    cost_micros: row.costMicros,
    outcome: row.outcome,
    trace_id: row.traceId,
    finished_at: dateTime64(new Date(row.finishedAtMs)),
  };
}

/** An instant as ClickHouse reads it, UTC. */
function dateTime64(instant: Date): string {
  return instant.toISOString().replace("T", " ").replace("Z", "");
}

const columns: Readonly<Record<UsageDimension, string>> = {
  day: "toString(toDate(finished_at))",
  model: "toString(model)",
  key: "key_id",
  agent: "agent_id",
};

const count = z.coerce.number();
const sums = z.object({
  day: z.string().optional(),
  model: z.string().optional(),
  key: z.string().optional(),
  agent: z.string().optional(),
  requests: count,
  failed: count,
  partial: count,
  characters: count,
  audioMs: count,
  conversationMs: count,
  costMicros: count,
});

/** Sums a team's usage; one line more than an answer holds when there are more. */
export async function sumUsageInEngine(engine: AnalyticsEngine, query: UsageQuery): Promise<UsageSums[]> {
  const dimensions = query.groupBy.map((dimension) => `${columns[dimension]} AS ${dimension}`);
  const text = `
    SELECT ${[...dimensions, "count() AS requests", "countIf(outcome = 'failed') AS failed", "countIf(outcome = 'partial') AS partial"].join(", ")},
      sum(characters) AS characters, sum(audio_ms) AS audioMs, sum(conversation_ms) AS conversationMs,
      sum(cost_micros) AS costMicros
    FROM (
      SELECT finished_at, model, key_id, agent_id, outcome, characters, audio_ms, conversation_ms, cost_micros FROM parley_usage FINAL
      WHERE team_id = {team:String}
        AND finished_at >= toDateTime64({from:String}, 3, 'UTC') AND finished_at < toDateTime64({until:String}, 3, 'UTC')
    )
    GROUP BY ${query.groupBy.join(", ")}
    ORDER BY ${query.groupBy.join(", ")}
    LIMIT ${MAX_USAGE_LINES + 1}`;
  const { from, until } = intervalOf(query);
  const parameters = { team: query.teamId, from: dateTime64(from), until: dateTime64(until) };
  return z.array(sums).parse(await engine.query(text, parameters));
}
