import { readFileSync } from "node:fs";
import { pino } from "pino";
import type { Database } from "#control-plane/database/database";
import { openDatabase } from "#control-plane/database/open";
import { prepareDatabase } from "../harness/prepared-database.js";
import { temporaryDirectory } from "../harness/temporary-directory.js";
import { postgresPrograms, startPostgres, type TestPostgres } from "./postgres.js";

export const silentLog = pino({ level: "silent" });

export type EngineName = "pglite" | "postgres";

/** The engines that this machine can run: PGlite always, Postgres where it is installed. */
export const engines: EngineName[] = postgresPrograms() === null ? ["pglite"] : ["pglite", "postgres"];
if (!engines.includes("postgres")) {
  console.warn(
    "\n!!! No Postgres under /usr/lib/postgresql: the tests of the Postgres engine DO NOT RUN. Install postgresql to run them. !!!\n",
  );
}

/** A fresh, migrated database of one engine. */
export interface FreshDatabase {
  database: Database;
  /** Null for the embedded engine. */
  server: TestPostgres | null;
  stop(): Promise<void>;
}

export async function freshDatabase(engine: EngineName): Promise<FreshDatabase> {
  const programs = postgresPrograms();
  if (engine === "postgres" && programs !== null) {
    const server = await startPostgres(programs);
    const database = await openDatabase({ url: server.url, dataDirectory: "", log: silentLog });
    return { database, server, stop: () => database.close().finally(server.stop) };
  }
  keepCompiled();
  const directory = temporaryDirectory("pglite");
  await prepareDatabase(directory.path);
  const database = await openDatabase({ url: null, dataDirectory: directory.path, log: silentLog });
  return { database, server: null, stop: () => database.close().finally(directory.remove) };
}

/** Node.js has it without the types of browsers. */
const { Module } = (globalThis as unknown as { WebAssembly: { Module: new (bytes: Uint8Array) => object } })
  .WebAssembly;
const compiled: object[] = [];

/**
 * Keeps the embedded Postgres compiled: V8 shares what it has compiled among all threads with the same module, and
 * forgets it with the last of them. Each database would have what runs often optimized anew, which takes a second.
 */
function keepCompiled(): void {
  if (compiled.length > 0) return;
  const file = new URL("./pglite.wasm", import.meta.resolve("@electric-sql/pglite"));
  compiled.push(new Module(readFileSync(file)));
}
