/** Main thread to database thread: run one statement, or (no query) close. */
export interface StatementRequest {
  id: number;
  query: { text: string; parameters: unknown[]; rowMode: "array" | "object" } | null;
}

/** What one statement gave. */
export interface StatementRows {
  rows: unknown[];
  affectedRows: number;
}

/**
 * A failed statement. `code` is its SQLSTATE. After one that is `isLast` the engine answers nothing more, and the
 * thread ends.
 */
export interface StatementFailure {
  id: number;
  ok: false;
  message: string;
  code: string | null;
  isLast: boolean;
}

/** Database thread to main thread. Id 0 says that the database is open. */
export type StatementReply = { id: number; ok: true; result: StatementRows } | StatementFailure;
