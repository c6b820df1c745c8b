/**
 * A ClickHouse, wherever it runs. What it throws while it cannot be reached is a ServiceError `dependency_unavailable`.
 */
export interface AnalyticsEngine {
  readonly name: "clickhouse" | "chdb";
  /** A statement without a result. */
  command(statement: string): Promise<void>;
  /** Rows as objects; the same `token` with the same rows is inserted once within the table's deduplication window. */
  insert(table: string, rows: readonly object[], token: string): Promise<void>;
  /**
   * Rows of a query whose `{name:Type}` placeholders are filled from `parameters`. 64-bit integers may come as text.
   */
  query(text: string, parameters: Record<string, string>): Promise<unknown[]>;
  close(): Promise<void>;
}
