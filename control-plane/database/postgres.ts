import { setTimeout as delay } from "node:timers/promises";
import { drizzle } from "drizzle-orm/node-postgres";
import pg from "pg";
import type { Logger } from "#common/log";
import type { Database, Db } from "./database.js";
import { isUnavailable } from "./failure.js";
import * as schema from "./schema.js";

const MAX_CONNECTIONS = 10;
const CONNECT_TIMEOUT_MS = 5000;
/** Longer than any query of ours: a stuck one must not hold its connection for ever. */
const STATEMENT_TIMEOUT_MS = 15_000;
const START_ATTEMPT_INTERVAL_MS = 500;

/** Connects to a Postgres server (15 or newer), waiting for it as long as it is merely not there. */
export async function openPostgres(url: string, log: Logger): Promise<Database> {
  const pool = new pg.Pool({
    connectionString: url,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    application_name: "parley",
  });
  // The pool sees the idle connections that the server closes. One that is between two statements of a transaction
  // is nobody's: without a listener of its own the loss would end the process. The next statement on it fails, which is
  // enough.
  pool.on("error", (error) => log.warn({ err: error }, "a database connection was lost"));
  pool.on("connect", (client) =>
    client.on("error", (error) => log.debug({ err: error }, "a database connection in use was lost")),
  );
  await waitForServer(pool, log);
  return {
    // Both engines' drizzle classes are PgDatabase; they differ only in the raw result of `execute`, which is not used.
    db: drizzle({ client: pool, schema }) as unknown as Db,
    engine: "postgres",
    // Its disk is the server's matter, which says so itself.
    requireRoom: () => undefined,
    copyTo: null,
    close: () => pool.end(),
  };
}

async function waitForServer(pool: pg.Pool, log: Logger): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      await pool.query("SELECT 1");
      return;
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      if (attempt % 20 === 0) log.warn({ err: error }, "waiting for the database server");
      await delay(START_ATTEMPT_INTERVAL_MS);
    }
  }
}
