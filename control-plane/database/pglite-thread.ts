import { setFlagsFromString } from "node:v8";
import { parentPort, workerData } from "node:worker_threads";
import { PGlite, type QueryOptions, types } from "@electric-sql/pglite";
import { isShort } from "./disk-room.js";
import type { StatementFailure, StatementReply, StatementRequest } from "./pglite-message.js";
import { closeFilesToOthers, PrivateFileSystem } from "./private-file-system.js";

/*
 * The embedded Postgres on a thread of its own: a statement takes 0.3 ms, opening the database half a second, and
 * PGlite blocks the event loop that it runs on.
 */

const asText = (value: string): string => value;
/**
 * drizzle parses these itself; the numbers are the array types of numeric, timestamp, timestamptz, interval and date.
 */
const parsers: NonNullable<QueryOptions["parsers"]> = Object.fromEntries(
  [types.TIMESTAMP, types.TIMESTAMPTZ, types.INTERVAL, types.DATE, 1231, 1115, 1185, 1187, 1182].map((type) => [
    type,
    asText,
  ]),
);

/**
 * What the folder's own configuration says, 128 MB and a hundred connections, stays resident: 115 MB more, for one
 * connection and a database of some megabytes. Postgres takes no fewer than eight.
 */
const SHARED_BUFFERS = "16MB";
const DISK_FULL = "53100";
const READ_ONLY_TRANSACTION = "25006";

// What several threads take to compile Postgres at once stays with the process as holes in its heaps, 25 MB.
setFlagsFromString("--wasm-num-compilation-tasks=1");

const directory = workerData as string;
closeFilesToOthers(directory);
const database = await PGlite.create({
  fs: new PrivateFileSystem(directory),
  startParams: [...PGlite.defaultStartParams, "-c", `shared_buffers=${SHARED_BUFFERS}`, "-c", "max_connections=8"],
});

/** Whether a transaction is open: its BEGIN and COMMIT are ordinary statements here. */
let inTransaction = false;
let isReadOnly = false;

/**
 * On a disk that is nearly full, statements may only read: they would otherwise end in the middle of something that the
 * engine cannot go on from. Postgres itself refuses the writes then. Looked at between transactions, at the price of a
 * system call.
 */
async function watchDisk(): Promise<void> {
  const short = isShort(directory);
  if (short === isReadOnly) return;
  await database.exec(`SET default_transaction_read_only = ${short ? "on" : "off"}`);
  isReadOnly = short;
}

async function answer({ id, query }: StatementRequest): Promise<StatementReply> {
  try {
    if (query === null) {
      // Closing writes, and what it could not write would be written at the next start all the same.
      if (!isShort(directory)) await database.close();
      return { id, ok: true, result: { rows: [], affectedRows: 0 } };
    }
    const { text, parameters, rowMode } = query;
    if (!inTransaction) await watchDisk();
    const { rows, affectedRows } = await database.query(text, parameters, { rowMode, parsers });
    if (text === "BEGIN") inTransaction = true;
    if (text === "COMMIT" || text === "ROLLBACK") inTransaction = false;
    return { id, ok: true, result: { rows, affectedRows: affectedRows ?? 0 } };
  } catch (error) {
    return { id, ...failureOf(error) };
  }
}

function failureOf(error: unknown): Omit<StatementFailure, "id"> {
  const { message, code, severity } = error as { message?: string; code?: string; severity?: string };
  const wasRefused = isReadOnly && code === READ_ONLY_TRANSACTION;
  return {
    ok: false,
    message: wasRefused ? "the disk is nearly full: the database can only be read" : (message ?? String(error)),
    code: wasRefused ? DISK_FULL : (code ?? null),
    // Postgres' word for what it does not go on from; PGlite answers nothing more then.
    isLast: severity === "PANIC",
  };
}

// Statements are answered one at a time, in order.
let previous = Promise.resolve();
parentPort?.on("message", (request: StatementRequest) => {
  previous = previous.then(async () => {
    const reply = await answer(request);
    parentPort?.postMessage(reply);
    if (!reply.ok && reply.isLast) process.exit(1);
  });
});
const opened: StatementReply = { id: 0, ok: true, result: { rows: [], affectedRows: 0 } };
parentPort?.postMessage(opened);
