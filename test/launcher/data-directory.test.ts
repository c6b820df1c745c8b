import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { DataDirectoryError } from "#common/data-directory/data-directory";
import { openDatabase } from "#control-plane/database/open";
import { silentLog } from "../control-plane/databases.js";
import { startCluster, type TestCluster } from "../harness/cluster.js";
import { prepareDatabase } from "../harness/prepared-database.js";
import { descendantsOf } from "../harness/processes.js";
import { temporaryDirectory } from "../harness/temporary-directory.js";
import { fakeRoles } from "./fake-roles.js";

/** Every file and folder below a folder, with its mode in octal; links, whose mode means nothing, left out. */
function modesBelow(folder: string): Map<string, string> {
  const entries = readdirSync(folder, { recursive: true, encoding: "utf8" }).map(
    (name) => [name, lstatSync(join(folder, name))] as const,
  );
  return new Map(
    entries.filter(([, kind]) => !kind.isSymbolicLink()).map(([name, kind]) => [name, (kind.mode & 0o777).toString(8)]),
  );
}

const others = (modes: Map<string, string>): string[] =>
  [...modes].filter(([, mode]) => !mode.endsWith("00")).map(([name, mode]) => `${name} ${mode}`);

describe("modes", () => {
  const directory = temporaryDirectory("modes");
  const data = join(directory.path, "data");
  let cluster: TestCluster;

  beforeAll(async () => {
    // As an earlier release left it: everybody may write to the database.
    mkdirSync(data, { mode: 0o755 });
    chmodSync(data, 0o755);
    await prepareDatabase(data);
    rmSync(join(data, "parley.json"));
    rmSync(join(data, "database/parley.json"));
    for (const [name] of modesBelow(join(data, "database"))) {
      const path = join(data, "database", name);
      chmodSync(path, lstatSync(path).isDirectory() ? 0o755 : 0o666);
    }
    for (const name of ["nats", "redis", "logs", "models"]) mkdirSync(join(data, name), { mode: 0o755 });
    cluster = await startCluster({ dataDirectory: data, models: ["espeak"] });
    const headers = { authorization: `Bearer ${cluster.apiKey}`, "content-type": "application/json" };
    const answer = await fetch(`${cluster.baseUrl}/v1/agent/agents`, {
      method: "POST",
      headers,
      body: '{"name":"new rows, new files"}',
    });
    expect(answer.status).toBe(201);
  });
  afterAll(async () => {
    await cluster.stop();
    directory.remove();
  });

  it("are the owner's alone for all that a cluster writes, and for what an earlier release wrote", () => {
    const modes = modesBelow(data);
    expect(modes.size).toBeGreaterThan(900);
    expect(others(modes)).toEqual([]);
    // Its owner made it so; what lies in it is closed.
    expect((lstatSync(data).mode & 0o777).toString(8)).toBe("755");
  });

  it("come from the umask of every process", () => {
    const pids = cluster.processes().flatMap(({ pid }) => (pid === null ? [] : [pid, ...descendantsOf(pid)]));
    expect(pids.length).toBeGreaterThan(6);
    const umasks = pids.map((pid) => /^Umask:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
    expect(new Set(umasks)).toEqual(new Set(["0077"]));
  });
});

describe("folders of a data directory", () => {
  const prepared = temporaryDirectory("stamped");
  const roles = temporaryDirectory("roles");
  let data: string;

  beforeAll(async () => {
    fakeRoles(roles.path);
    // As much of a database as is looked at before it is opened; the roles here do not open it.
    for (const folder of ["base", "global", "pg_wal"])
      mkdirSync(join(prepared.path, "data/database", folder), { recursive: true });
    writeFileSync(join(prepared.path, "data/database/PG_VERSION"), "18\n");
    writeFileSync(join(prepared.path, "data/database/global/pg_control"), "");
    const cluster = await start(join(prepared.path, "data"));
    await cluster.stop();
  });
  afterAll(() => {
    prepared.remove();
    roles.remove();
  });
  beforeEach(() => {
    const copy = temporaryDirectory("data");
    onTestFinished(copy.remove);
    data = join(copy.path, "data");
    cpSync(join(prepared.path, "data"), data, { recursive: true });
  });

  const start = (dataDirectory: string): Promise<TestCluster> =>
    startCluster({ dataDirectory, distDirectory: roles.path });
  const edit = (folder: string, change: object): void => {
    const path = join(data, folder, "parley.json");
    writeFileSync(path, JSON.stringify({ ...(JSON.parse(readFileSync(path, "utf8")) as object), ...change }));
  };
  const stamp = (folder: string): { clusterId: string } =>
    JSON.parse(readFileSync(join(data, folder, "parley.json"), "utf8")) as { clusterId: string };
  /** What is in a folder, and when it was last written. */
  const contentOf = (folder: string): string[] =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .map((name) => `${name} ${lstatSync(join(folder, name)).mtimeMs}`)
      .sort();

  it("are stamped with the cluster that they belong to, and whole backups of them start anywhere", async () => {
    const ids = ["", "database", "nats", "redis"].map((folder) => stamp(folder).clusterId);
    expect(new Set(ids).size).toBe(1);
    expect(ids[0]).toMatch(/^[0-9a-f]{32}$/);
    await (await start(data)).stop();
    expect(stamp("").clusterId).toBe(ids[0]);
  });

  it("of before there were stamps are taken over as they are", async () => {
    for (const folder of ["", "database", "nats", "redis"]) rmSync(join(data, folder, "parley.json"));
    writeFileSync(join(data, "nats/jetstream/kept"), "kept");
    await (await start(data)).stop();
    expect(new Set(["", "database", "nats", "redis"].map((folder) => stamp(folder).clusterId)).size).toBe(1);
    expect(readFileSync(join(data, "nats/jetstream/kept"), "utf8")).toBe("kept");
  });

  /** A file of somebody else's in place of the stamp. */
  const putInstead = (folder: string, name: string): void =>
    renameSync(join(data, folder, "parley.json"), join(data, folder, name));
  const replaceBy = (folder: string, other: string): void => {
    rmSync(join(data, folder), { recursive: true });
    renameSync(join(data, other), join(data, folder));
  };
  const foreign = "f".repeat(32);
  it.each([
    [
      "a database without PG_VERSION",
      "database",
      () => rmSync(join(data, "database/PG_VERSION")),
      "is damaged: PG_VERSION is missing",
    ],
    [
      "a database without PG_VERSION, of before there were stamps",
      "database",
      () => ["PG_VERSION", "parley.json"].forEach((name) => rmSync(join(data, "database", name))),
      "is damaged: PG_VERSION is missing",
    ],
    [
      "a database without its log",
      "database",
      () => rmSync(join(data, "database/pg_wal"), { recursive: true }),
      "is damaged: pg_wal is missing",
    ],
    [
      "a database of another Postgres",
      "database",
      () => writeFileSync(join(data, "database/PG_VERSION"), "16\n"),
      "cannot be used: it was written by Postgres 16",
    ],
    [
      "another cluster's database",
      "database",
      () => edit("database", { clusterId: foreign }),
      `belongs to another cluster (${foreign};`,
    ],
    [
      "a newer release's database",
      "database",
      () => edit("database", { format: 99 }),
      "was written by a newer release of Parley (format 99;",
    ],
    [
      "another cluster's JetStream",
      "nats",
      () => edit("nats", { clusterId: foreign }),
      `belongs to another cluster (${foreign};`,
    ],
    [
      "a newer release's JetStream",
      "nats",
      () => edit("nats", { format: 2 }),
      "was written by a newer release of Parley (format 2;",
    ],
    [
      "a JetStream without its store",
      "nats",
      () => rmSync(join(data, "nats/jetstream"), { recursive: true }),
      "is damaged: jetstream/jetstream is missing",
    ],
    [
      "somebody else's files where JetStream stores",
      "nats",
      () => putInstead("nats", "mine"),
      "is not empty, and what is in it (jetstream, mine) was not put there by Parley",
    ],
    [
      "another cluster's Redis",
      "redis",
      () => edit("redis", { clusterId: foreign }),
      `belongs to another cluster (${foreign};`,
    ],
    [
      "somebody else's Redis",
      "redis",
      () => putInstead("redis", "dump.rdb"),
      "is not empty, and what is in it (dump.rdb) was not put there by Parley",
    ],
    [
      "a folder in another's place",
      "redis",
      () => replaceBy("redis", "nats"),
      'is a folder "nats" of Parley, not a folder "redis"',
    ],
    [
      "a torn stamp",
      "nats",
      () => writeFileSync(join(data, "nats/parley.json"), '{"folder"'),
      "has a parley.json that cannot be read",
    ],
    [
      "a newer release's data directory",
      "",
      () => edit("", { format: 2 }),
      "was written by a newer release of Parley (format 2;",
    ],
  ])("are refused with words, and left as they are: %s", async (_name, folder, damage, reason) => {
    damage();
    const before = contentOf(join(data, folder));
    const failure = await start(data).then(
      (cluster) => cluster.stop().then(() => null),
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(DataDirectoryError);
    expect((failure as Error).message).toMatch(new RegExp(`^${join(data, folder)}/? `));
    expect((failure as Error).message).toContain(reason);
    expect((failure as Error).message).toContain("Nothing was changed.");
    expect(contentOf(join(data, folder))).toEqual(before);
  });

  it("are looked at by the control plane too, where it runs by itself", async () => {
    rmSync(join(data, "database/PG_VERSION"));
    const before = contentOf(join(data, "database"));
    const open = openDatabase({ url: null, dataDirectory: data, log: silentLog });
    await expect(open).rejects.toThrow("database is damaged: PG_VERSION is missing. Nothing was changed.");
    expect(contentOf(join(data, "database"))).toEqual(before);
  });
});
