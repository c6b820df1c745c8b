import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { PGlite, type QueryOptions, types } from "@electric-sql/pglite";
import type { StatementReply, StatementRequest } from "./pglite-message.js";

/*
 * The embedded Postgres on a thread of its own: a statement takes 0.3 ms, creating the database 3 to 5 s, and PGlite blocks
 * the event loop that it runs on.
 */

const asText = (value: string): string => value;
/** drizzle parses these itself; the numbers are the array types of numeric, timestamp, timestamptz, interval and date. */
const parsers: NonNullable<QueryOptions["parsers"]> = Object.fromEntries(
  [types.TIMESTAMP, types.TIMESTAMPTZ, types.INTERVAL, types.DATE, 1231, 1115, 1185, 1187, 1182].map((type) => [type, asText]),
);

/** Creates the database beside its place and moves it there: a start that is killed half way leaves nothing half made. */
async function create(directory: string): Promise<void> {
  const draft = `${directory}.new`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(dirname(directory), { recursive: true });
  const database = await PGlite.create(draft);
  await database.close();
  renameSync(draft, directory);
}

async function answer(database: PGlite, request: StatementRequest): Promise<StatementReply> {
  try {
    if (request.query === null) {
      await database.close();
      return { id: request.id, ok: true, result: { rows: [], affectedRows: 0 } };
    }
    const { text, parameters, rowMode } = request.query;
    const { rows, affectedRows } = await database.query(text, parameters, { rowMode, parsers });
    return { id: request.id, ok: true, result: { rows, affectedRows: affectedRows ?? 0 } };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : null;
    return { id: request.id, ok: false, message: error instanceof Error ? error.message : String(error), code };
  }
}

const directory = workerData as string;
if (!existsSync(directory)) await create(directory);
const database = await PGlite.create(directory);
// Statements are answered one at a time, in order: a transaction's BEGIN and COMMIT are ordinary statements here.
let previous = Promise.resolve();
parentPort?.on("message", (request: StatementRequest) => {
  previous = previous.then(async () => parentPort?.postMessage(await answer(database, request)));
});
const opened: StatementReply = { id: 0, ok: true, result: { rows: [], affectedRows: 0 } };
parentPort?.postMessage(opened);
