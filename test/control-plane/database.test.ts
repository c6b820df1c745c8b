import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { getTableColumns, sql } from "drizzle-orm";
import { getTableConfig, type PgTable } from "drizzle-orm/pg-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { LockedError } from "#common/files/file-lock";
import type { Database } from "#control-plane/database/database";
import { isUnavailable, toServiceError } from "#control-plane/database/failure";
import { migrate } from "#control-plane/database/migrate";
import { migrations } from "#control-plane/database/migrations/all";
import { openDatabase } from "#control-plane/database/open";
import * as agentTestRunTables from "#control-plane/agent-tests/run-tables";
import * as agentTestTables from "#control-plane/agent-tests/tables";
import * as agentTables from "#control-plane/agents/tables";
import * as callTables from "#control-plane/calls/tables";
import * as schema from "#control-plane/database/schema";
import * as knowledgeTables from "#control-plane/knowledge/tables";
import * as phoneTables from "#control-plane/phone/tables";
import * as analysisTables from "#control-plane/sessions/analysis/tables";
import * as recordingTables from "#control-plane/recordings/tables";
import * as sessionTables from "#control-plane/sessions/tables";
import * as toolTables from "#control-plane/tools/table";
import * as webhookTables from "#control-plane/webhooks/tables";
import { descendantsOf, isAlive, until } from "../harness/processes.js";
import { temporaryDirectory } from "../harness/temporary-directory.js";
import { engines, freshDatabase, silentLog } from "./databases.js";
import { postgresPrograms, startPostgres } from "./postgres.js";

/** Each part of the control plane keeps its tables by its queries. */
const tables = [
  ...[
    schema,
    agentTables,
    agentTestTables,
    agentTestRunTables,
    callTables,
    knowledgeTables,
    phoneTables,
    analysisTables,
    recordingTables,
    toolTables,
    webhookTables,
  ],
  { agentSessions: sessionTables.agentSessions, agentSessionItems: sessionTables.agentSessionItems },
].flatMap((part) => Object.values(part) as PgTable[]);

describe.each(engines)("the schema on %s", (engine) => {
  let fixture: Awaited<ReturnType<typeof freshDatabase>>;
  let database: Database;
  beforeAll(async () => {
    fixture = await freshDatabase(engine);
    database = fixture.database;
  });
  afterAll(() => fixture.stop());

  it("has every column that drizzle expects, with the same type and nullability, and no other", async () => {
    const rows = await database.db
      .select({
        table: sql<string>`table_name`,
        column: sql<string>`column_name`,
        type: sql<string>`data_type`,
        nullable: sql<string>`is_nullable`,
      })
      .from(sql`information_schema.columns`)
      .where(sql`table_schema = 'public' AND table_name <> 'schema_migrations'`);
    const found = rows
      .map((row) => `${row.table}.${row.column} ${row.type === "ARRAY" ? "text[]" : row.type} ${row.nullable}`)
      .sort();
    const expected = tables.flatMap((table) =>
      Object.values(getTableColumns(table)).map((column) => {
        return `${getTableConfig(table).name}.${column.name} ${column.getSQLType()} ${column.notNull ? "NO" : "YES"}`;
      }),
    );
    expect(found).toEqual(expected.sort());
  });

  it("runs each step once", async () => {
    expect(await migrate(database.db, migrations, new Date())).toEqual([]);
  });

  it("runs a new step, and leaves nothing of one that fails", async () => {
    const good = { name: "test-good", statements: ["CREATE TABLE test_good (id text)"] };
    const bad = { name: "test-bad", statements: ["CREATE TABLE test_bad (id text)", "CREATE NONSENSE"] };
    await expect(migrate(database.db, [...migrations, good, bad], new Date())).rejects.toThrow();
    expect(await migrate(database.db, [...migrations, good], new Date())).toEqual(["test-good"]);
    await database.db.execute(sql`DROP TABLE test_good`);
    await expect(database.db.execute(sql`SELECT * FROM test_bad`)).rejects.toThrow();
  });

  it("keeps a transaction's statements together while others run", async () => {
    const { db } = database;
    await db.execute(sql`CREATE TABLE test_counter (value integer NOT NULL)`);
    await db.execute(sql`INSERT INTO test_counter VALUES (0)`);
    const read = async (on: typeof db): Promise<number> =>
      (await on.select({ value: sql<number>`value` }).from(sql`test_counter`).for("update"))[0]?.value ?? -1;
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => {
        const work = db.transaction(async (tx) => {
          const value = await read(tx);
          await tx.execute(sql`UPDATE test_counter SET value = ${value + 1}`);
          if (index % 4 === 0) throw new RangeError("rolled back");
        });
        return index % 4 === 0 ? expect(work).rejects.toThrow("rolled back") : work;
      }),
    );
    expect(await read(db)).toBe(15);
    await db.execute(sql`DROP TABLE test_counter`);
  });

  it("keeps values out of the error that a failed query becomes", async () => {
    const secret = "canary-4711";
    const error = await database.db.execute(sql`SELECT ${secret}::text::integer`).then(
      () => null,
      (failure: unknown) => toServiceError(failure),
    );
    expect(error?.code).toBe("internal");
    expect(isUnavailable(error)).toBe(false);
    expect(String((error?.cause as Error).stack)).not.toContain("Failed query");
  });
});

// Creating a database is seconds of computing, and minutes on a machine that computes much else.
describe("the embedded database", { timeout: 240_000 }, () => {
  const directory = temporaryDirectory("embedded");
  afterAll(directory.remove);
  const open = (): Promise<Database> => openDatabase({ url: null, dataDirectory: directory.path, log: silentLog });

  it("keeps its records over a restart, which is quick, and refuses a second user", async () => {
    const createdMs = performance.now();
    const first = await open();
    const creationMs = performance.now() - createdMs;
    await first.db.execute(sql`CREATE TABLE kept (id text)`);
    await expect(open()).rejects.toThrow(LockedError);
    await first.close();
    const startedMs = performance.now();
    const second = await open();
    expect(performance.now() - startedMs).toBeLessThan(creationMs);
    await second.db.execute(sql`SELECT id FROM kept`);
    await second.close();
  });

  it("is made by a process that ends with its memory, and anew where that was cut off", async () => {
    const other = temporaryDirectory("cut");
    onTestFinished(other.remove);
    const script = `(async () => {
      const { openDatabase } = await import(${JSON.stringify(new URL("./../../control-plane/database/open.js", import.meta.url).href)});
      const { createLogger } = await import(${JSON.stringify(new URL("./../../common/log.js", import.meta.url).href)});
      const database = await openDatabase({ url: null, dataDirectory: process.argv[1], log: createLogger("test", "fatal") });
      process.send("open");
      process.once("message", async () => { await database.close(); process.exit(); });
    })()`;
    const opener = (): ChildProcess => {
      const child = spawn(process.execPath, ["-e", script, other.path], {
        stdio: ["ignore", "ignore", "inherit", "ipc"],
      });
      onTestFinished(() => void child.kill("SIGKILL"));
      return child;
    };
    const drafts = (): string[] => readdirSync(other.path).filter((name) => name.startsWith("database.new"));

    writeFileSync(join(other.path, "database.new"), "what an earlier release left half made");
    const killed = opener();
    await until(() => drafts().some((name) => existsSync(join(other.path, name, "base"))), {
      withinMs: 60_000,
      what: "half a database",
    });
    const makers = descendantsOf(killed.pid ?? 0);
    expect(makers).toHaveLength(1);
    killed.kill("SIGKILL");
    await until(() => !makers.some(isAlive), { withinMs: 60_000, what: "the end of the process that made it" });
    expect(existsSync(join(other.path, "database"))).toBe(false);
    expect(drafts()).toHaveLength(1);

    const child = opener();
    await Promise.race([
      once(child, "message"),
      once(child, "exit").then(() => Promise.reject(new Error("the database was not opened"))),
    ]);
    const peakKb = Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]);
    // 250 MB; 370 MB with the buffers of its own configuration, more than 900 MB where it also makes it.
    expect(peakKb).toBeLessThan(330_000);
    expect(descendantsOf(child.pid ?? 0)).toEqual([]);
    expect(drafts()).toEqual([]);
    child.send("close");
    expect(await once(child, "exit")).toEqual([0, null]);
  });
});

const programs = postgresPrograms();
describe.skipIf(programs === null)("several instances on one Postgres", () => {
  it("bring the schema up to date once, and outlive a restart of the server", async () => {
    const server = await startPostgres(programs ?? "");
    const open = (): Promise<Database> => openDatabase({ url: server.url, dataDirectory: "", log: silentLog });
    const databases = await Promise.all([open(), open(), open()]);
    const [first] = databases;
    const rows = await first.db.select({ name: sql<string>`name` }).from(sql`schema_migrations`);
    expect(rows.map((row) => row.name)).toEqual(migrations.map((migration) => migration.name));
    await server.interrupt();
    const failure = await first.db.execute(sql`SELECT 1`).then(
      () => null,
      (error: unknown) => toServiceError(error),
    );
    expect(failure?.code).toBe("dependency_unavailable");
    const waiting = open();
    await server.resume();
    await first.db.execute(sql`SELECT 1`);
    await Promise.all([...databases, await waiting].map((database) => database.close()));
    await server.stop();
  });
});
