import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readAll } from "node:stream/consumers";
import { temporaryDirectory } from "../harness/temporary-directory.js";

/**
 * ClickHouse's HTTP interface (https://clickhouse.com/docs/interfaces/http) in front of the real engine, for the client library to speak to:
 * no server is packaged for the machines that run the tests. The engine has a process of its own, since one process opens one folder.
 */
export async function serveClickHouse(): Promise<{ url: string; stop: () => Promise<void> }> {
  const directory = temporaryDirectory("clickhouse");
  const { fork } = await import("node:child_process");
  const child = fork(new URL("./clickhouse-process.js", import.meta.url), [directory.path]);
  let sequence = 0;
  const waiting = new Map<number, (answer: { ok: boolean; text: string }) => void>();
  child.on("message", (message: { id: number; ok: boolean; text: string }) => waiting.get(message.id)?.(message));
  const run = (statement: string, parameters: Record<string, string>): Promise<{ ok: boolean; text: string }> =>
    new Promise((resolve) => {
      const id = ++sequence;
      waiting.set(id, resolve);
      child.send({ id, statement, parameters });
    });
  const server = createServer((request, response) => {
    void answer(request, run).then(({ ok, text }) => {
      response.writeHead(ok ? 200 : 500, { "content-type": "text/plain", ...(ok ? {} : { "x-clickhouse-exception-code": "1" }) }).end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
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
async function answer(
  request: IncomingMessage,
  run: (statement: string, parameters: Record<string, string>) => Promise<{ ok: boolean; text: string }>,
): Promise<{ ok: boolean; text: string }> {
  const url = new URL(request.url ?? "/", "http://x");
  const body = await readAll(request);
  const inUrl = url.searchParams.get("query");
  const parameters = Object.fromEntries([...url.searchParams].flatMap(([name, value]) => (name.startsWith("param_") ? [[name.slice(6), value]] : [])));
  const token = url.searchParams.get("insert_deduplication_token");
  const insert = inUrl === null || token === null ? null : inUrl.replace(/\s+FORMAT\s+/i, ` SETTINGS insert_deduplication_token = '${token}' FORMAT `);
  return await run(inUrl === null ? body : `${insert ?? inUrl}\n${body}`, parameters);
}
