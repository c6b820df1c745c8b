import { ClickHouseLogLevel, createClient } from "@clickhouse/client";
import { ServiceError } from "#protocol/errors";
import type { AnalyticsEngine } from "./engine.js";

const REQUEST_TIMEOUT_MS = 15_000;

/** A ClickHouse server; nothing is sent before the first call. */
export function clickHouseEngine(url: string): AnalyticsEngine {
  const client = createClient({
    url,
    request_timeout: REQUEST_TIMEOUT_MS,
    application: "parley",
    clickhouse_settings: { wait_end_of_query: 1 },
    // Its failures are thrown, and logged by whoever catches them.
    log: { level: ClickHouseLogLevel.OFF },
  });
  return {
    name: "clickhouse",
    command: (statement) => reaching(async () => void (await client.command({ query: statement }))),
    insert: (table, rows, token) =>
      reaching(async () => {
        const settings = { insert_deduplication_token: token, insert_deduplicate: 1 as const };
        await client.insert({ table, values: rows, format: "JSONEachRow", clickhouse_settings: settings });
      }),
    query: (text, parameters) =>
      reaching(async () => {
        const result = await client.query({ query: text, query_params: parameters, format: "JSONEachRow" });
        return await result.json<unknown>();
      }),
    close: () => client.close(),
  };
}

async function reaching<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new ServiceError("dependency_unavailable", { parameters: { dependency: "The analytics engine" }, cause });
  }
}
