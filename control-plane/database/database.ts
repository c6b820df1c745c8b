import type { PgDatabase, PgQueryResultHKT } from "drizzle-orm/pg-core";
import type * as schema from "./schema.js";

/** What queries are written against: drizzle over either engine, or one transaction of it. */
export type Db = PgDatabase<PgQueryResultHKT, typeof schema>;

/** An open database, migrated and ready. */
export interface Database {
  /**
   * Runs queries. Inside `records.transaction(async (step) => …)` use only `step`:
   * the embedded engine has one connection, and a query outside of the transaction would wait for its end.
   */
  readonly db: Db;
  readonly engine: "pglite" | "postgres";
  /** Throws `disk_full` where nothing can be written now: for whoever would store something elsewhere first. */
  requireRoom(): void;
  /**
   * Copies the embedded database, as it is between two transactions, into a folder in place of what is there: all
   * statements wait meanwhile. Null where a server has the database.
   */
  readonly copyTo: ((folder: string) => Promise<void>) | null;
  close(): Promise<void>;
}
