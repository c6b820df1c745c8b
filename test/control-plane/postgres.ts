import { execFileSync } from "node:child_process";
import { chownSync, existsSync, readdirSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import pg from "pg";
import { spawnGuarded } from "#launcher/guarded-process";
import { preparedFolder } from "../harness/prepared-folder.js";
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

/** How a program is run as the user that Postgres needs: itself it refuses root. */
interface PostgresUser {
  command: string;
  prefix: string[];
  /** Of the user that files are to belong to; null where that is whoever runs this. */
  ids: { uid: number; gid: number } | null;
}

function postgresUser(): PostgresUser {
  if (process.getuid?.() !== 0) return { command: "env", prefix: [], ids: null };
  const id = (flag: string): number => Number(execFileSync("id", [flag, "postgres"]).toString());
  const prefix = ["--reuid=postgres", "--regid=postgres", "--clear-groups"];
  return { command: "setpriv", prefix, ids: { uid: id("-u"), gid: id("-g") } };
}

/** Puts a new cluster into `data`: a copy of the one that a test run makes once, since initdb takes seconds of a core. */
async function createCluster(programs: string, { command, prefix, ids }: PostgresUser, data: string): Promise<void> {
  const run = (words: string[]): void =>
    void execFileSync(command, [...prefix, ...words], { cwd: "/tmp", stdio: "pipe" });
  const initialize = (path: string): void =>
    run([join(programs, "initdb"), "-D", path, "-A", "trust", "-U", "parley", "-E", "UTF8", "--no-sync"]);
  const prepared = await preparedFolder("postgres", async (path) => {
    if (ids !== null) chownSync(path, ids.uid, ids.gid);
    initialize(path);
  });
  if (prepared === null) initialize(data);
  else run(["cp", "-R", prepared, data]);
}

/** Creates a cluster and starts it on a free loopback port, as the user `postgres` when we are root. */
export async function startPostgres(programs: string): Promise<TestPostgres> {
  const directory = temporaryDirectory("postgres");
  const user = postgresUser();
  const { command, prefix, ids } = user;
  if (ids !== null) chownSync(directory.path, ids.uid, ids.gid);
  const data = join(directory.path, "data");
  await createCluster(programs, user, data);
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
