import { execFileSync } from "node:child_process";
import { chownSync, existsSync, readdirSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import pg from "pg";
import { spawnGuarded } from "#launcher/guarded-process";
import { until } from "../harness/processes.js";
import { temporaryDirectory } from "../harness/temporary-directory.js";

const INSTALLATIONS = "/usr/lib/postgresql";

/** The newest installed Postgres's programs, or null where none is installed. */
export function postgresPrograms(): string | null {
  if (!existsSync(INSTALLATIONS)) return null;
  const versions = readdirSync(INSTALLATIONS).sort((a, b) => Number(b) - Number(a));
  return (
    versions
      .map((version) => join(INSTALLATIONS, version, "bin"))
      .find((folder) => existsSync(join(folder, "initdb"))) ?? null
  );
}

/** A private Postgres server for one test file. */
export interface TestPostgres {
  url: string;
  pid: number;
  /** Stops the server at once, keeping its data. */
  interrupt(): Promise<void>;
  /** Brings an interrupted server back on the same port. */
  resume(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Creates a cluster and starts it on a free loopback port, as the user `postgres` when we are root: initdb refuses
 * root.
 */
export async function startPostgres(programs: string): Promise<TestPostgres> {
  const directory = temporaryDirectory("postgres");
  const isRoot = process.getuid?.() === 0;
  if (isRoot) {
    const id = (flag: string): number => Number(execFileSync("id", [flag, "postgres"]).toString());
    chownSync(directory.path, id("-u"), id("-g"));
  }
  const as = isRoot ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : ["env"];
  const [command = "env", ...prefix] = as;
  const data = join(directory.path, "data");
  execFileSync(
    command,
    [...prefix, join(programs, "initdb"), "-D", data, "-A", "trust", "-U", "parley", "-E", "UTF8", "--no-sync"],
    { cwd: "/tmp", stdio: "pipe" },
  );
  const port = await freePort();
  const url = `postgres://parley@127.0.0.1:${port}/postgres`;
  const args = [
    ...prefix,
    join(programs, "postgres"),
    "-D",
    data,
    "-p",
    String(port),
    "-h",
    "127.0.0.1",
    "-k",
    directory.path,
    "-F",
  ];
  const logFile = `${directory.path}.log`;
  const launch = () => spawnGuarded({ command, args, logFile, cwd: "/tmp" });
  let server = await launch();
  const ready = () => until(() => answers(url), { withinMs: 30_000, what: "Postgres to answer" });
  await ready();
  const interrupt = async (): Promise<void> => {
    // SIGINT ends the sessions; the SIGTERM that follows would wait for them.
    server.signal("SIGINT");
    await server.ended;
  };
  return {
    url,
    pid: server.pid,
    interrupt,
    async resume() {
      server = await launch();
      await ready();
    },
    async stop() {
      if (!server.hasEnded()) await interrupt();
      directory.remove();
      rmSync(logFile, { force: true });
    },
  };
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    return true;
  } catch (error) {
    if (error instanceof Error) return false;
    throw error;
  } finally {
    await client.end();
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}
