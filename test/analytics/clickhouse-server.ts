import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readAll } from "node:stream/consumers";
import { newIdentifier } from "#common/identifier";
import { temporaryDirectory } from "../harness/temporary-directory.js";

/** Who may ask; a server answers others with 403. */
const CREDENTIALS = { user: "parley", password: "p%ss w/rd" };
/** Parameters of the HTTP interface itself; every other one is a setting. */
const OWN_PARAMETERS = ["query", "query_id", "database", "default_format", "wait_end_of_query", "session_id", "role"];

// `TEST_CLICKHOUSE_URL=http://user:password@host:8123 npx vitest run test/analytics` asks a server, in databases
// of their own.
const { TEST_CLICKHOUSE_URL = null } = process.env;
if (TEST_CLICKHOUSE_URL === null) {
  console.warn(
    "\n!!! TEST_CLICKHOUSE_URL is not set: the tests of a ClickHouse server ask its engine behind an HTTP interface of their own. !!!\n",
  );
}

type Answer = { status: number; text: string };
type Run = (statement: string, parameters: Record<string, string>) => Promise<Answer>;

/** A ClickHouse with an empty database, at a URL as `CLICKHOUSE_URL` takes it. */
export function serveClickHouse(): Promise<{ url: string; stop: () => Promise<void> }> {
  return TEST_CLICKHOUSE_URL === null ? serveEngine() : openDatabaseOf(TEST_CLICKHOUSE_URL);
}

/** A database of a server's, for one test file. */
async function openDatabaseOf(serverUrl: string): Promise<{ url: string; stop: () => Promise<void> }> {
  const server = new URL(serverUrl);
  const authorization = `Basic ${Buffer.from(`${decodeURIComponent(server.username)}:${decodeURIComponent(server.password)}`).toString("base64")}`;
  const ask = async (statement: string): Promise<void> => {
    const answer = await fetch(server.origin, {
      method: "POST",
      body: statement,
      ...(server.username === "" ? {} : { headers: { authorization } }),
    });
    if (!answer.ok) throw new Error(`the ClickHouse server refuses ${statement}: ${await answer.text()}`);
  };
  const name = `parley_test_${newIdentifier()}`;
  await ask(`CREATE DATABASE ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, stop: () => ask(`DROP DATABASE ${name}`) };
}

/**
 * ClickHouse's HTTP interface (https://clickhouse.com/docs/interfaces/http) in front of the real engine, for the client
 * library to speak to: no server is packaged for the machines that run the tests. The engine has a process of its own,
 * since one process opens one folder. As a server does, it refuses strangers, databases that are not there and settings
 * that the engine does not have.
 */
async function serveEngine(): Promise<{ url: string; stop: () => Promise<void> }> {
  const directory = temporaryDirectory("clickhouse");
  const { fork } = await import("node:child_process");
  const child = fork(new URL("./clickhouse-process.js", import.meta.url), [directory.path]);
  let sequence = 0;
  const waiting = new Map<number, (answer: { ok: boolean; text: string }) => void>();
  child.on("message", (message: { id: number; ok: boolean; text: string }) => waiting.get(message.id)?.(message));
  const run: Run = (statement, parameters) =>
    new Promise((resolve) => {
      const id = ++sequence;
      waiting.set(id, ({ ok, text }) => resolve({ status: ok ? 200 : 500, text }));
      child.send({ id, statement, parameters });
    });
  const settings = new Set(
    (await run("SELECT name FROM system.settings", {})).text.split("\n").map((line) => line.replaceAll('"', "")),
  );
  const server = createServer((request, response) => {
    void answer(request, run, settings).then(({ status, text }) => {
      response
        .writeHead(status, {
          "content-type": "text/plain",
          ...(status === 200 ? {} : { "x-clickhouse-exception-code": "1" }),
        })
        .end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://${CREDENTIALS.user}:${encodeURIComponent(CREDENTIALS.password)}@127.0.0.1:${(server.address() as AddressInfo).port}/default`,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      const gone = new Promise((resolve) => child.once("exit", resolve));
      child.kill();
      await gone;
      directory.remove();
    },
  };
}

/** The statement may be in the URL, with its data in the body; settings and parameters are in the URL. */
async function answer(request: IncomingMessage, run: Run, settings: ReadonlySet<string>): Promise<Answer> {
  const url = new URL(request.url ?? "/", "http://x");
  const body = await readAll(request);
  const expected = `Basic ${Buffer.from(`${CREDENTIALS.user}:${CREDENTIALS.password}`).toString("base64")}`;
  if (request.headers.authorization !== expected)
    return { status: 403, text: "Code: 516. DB::Exception: Authentication failed." };
  const { database = "default", query: inUrl = null, ...others } = Object.fromEntries(url.searchParams);
  if (database !== "default")
    return { status: 404, text: `Code: 81. DB::Exception: Database ${database} does not exist.` };
  const isParameter = (name: string): boolean => name.startsWith("param_");
  const unknown = Object.keys(others).find(
    (name) => !isParameter(name) && !OWN_PARAMETERS.includes(name) && !settings.has(name),
  );
  if (unknown !== undefined) return { status: 404, text: `Code: 115. DB::Exception: Unknown setting ${unknown}.` };
  const parameters = Object.fromEntries(
    Object.entries(others).flatMap(([name, value]) => (isParameter(name) ? [[name.slice(6), value]] : [])),
  );
  const token = url.searchParams.get("insert_deduplication_token");
  const insert =
    inUrl === null || token === null
      ? null
      : inUrl.replace(/\s+FORMAT\s+/i, ` SETTINGS insert_deduplication_token = '${token}' FORMAT `);
  return await run(inUrl === null ? body : `${insert ?? inUrl}\n${body}`, parameters);
}
