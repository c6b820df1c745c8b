import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { usageStream } from "#protocol/bus/usage-stream";
import { openUsageBucket } from "#protocol/bus/open-usage";
import { usageSubject } from "#protocol/bus/control";
import type { Bus } from "#common/bus/bus";
import { connectNats } from "#common/bus/nats";
import { makeFolder, openDataDirectory } from "#common/data-directory/data-directory";
import { createFileDurably, writeFileDurably } from "#common/files/durable-file";
import { openSealer } from "#common/secrets/secret-key";
import { openDatabase } from "#control-plane/database/open";
import { developmentKey } from "#launcher/development-key";
import { writeRunFile } from "#launcher/run-file";
import { startNats } from "#launcher/servers";
import { silentLog } from "../control-plane/databases.js";
import { startCluster, type TestCluster } from "../harness/cluster.js";
import { until } from "../harness/processes.js";
import { type SmallDisk, smallDisk } from "../harness/small-disk.js";
import { temporaryDirectory } from "../harness/temporary-directory.js";
import { fakeRoles } from "./fake-roles.js";

const MIB = 1024 * 1024;

let disk: SmallDisk;

/** Mounts `disk` for one test; it goes when everything else of the test is over. */
function mount(mebibytes: number, path?: string): void {
  const mounted = smallDisk(mebibytes, path);
  onTestFinished(mounted.remove);
  disk = mounted;
}

describe("files that are written on a full disk", () => {
  beforeEach(() => mount(4));
  const names = (): string[] =>
    readdirSync(disk.path)
      .filter((name) => name !== "ballast")
      .sort();

  it("are there as a whole or not at all, and nothing is left of the attempt", () => {
    writeFileDurably(join(disk.path, "config"), "old");
    disk.fill();
    expect(() => writeFileDurably(join(disk.path, "config"), "new ".repeat(3000))).toThrow("ENOSPC");
    expect(() => createFileDurably(join(disk.path, "key"), "k".repeat(10_000))).toThrow("ENOSPC");
    expect(readFileSync(join(disk.path, "config"), "utf8")).toBe("old");
    expect(names()).toEqual(["config"]);
  });

  it.each([
    ["api-key", () => developmentKey(null, disk.path)],
    ["secret-key", () => openSealer({ secretKey: null, dataDirectory: disk.path })],
    [
      "run.json",
      () =>
        writeRunFile(disk.path, {
          pid: 1,
          baseUrl: "http://a",
          natsUrl: "nats://a",
          redisUrl: "redis://a",
          liveKit: null,
        }),
    ],
  ])("are not left empty: %s", (name, write) => {
    disk.fill();
    expect(write).toThrow("ENOSPC");
    expect(names()).toEqual([]);
    disk.empty();
    write();
    expect(readFileSync(join(disk.path, name), "utf8").length).toBeGreaterThan(20);
  });
});

it("never replaces a key that seals credentials, where an earlier release left its file empty", () => {
  const { path, remove } = temporaryDirectory("sealed");
  onTestFinished(remove);
  writeFileSync(join(path, "secret-key"), "");
  expect(() => openSealer({ secretKey: null, dataDirectory: path })).toThrow(
    /secret-key is empty: restore the key from a backup, or remove the file where nothing was sealed yet$/,
  );
  expect(readFileSync(join(path, "secret-key"), "utf8")).toBe("");
});

describe("a first start without room", () => {
  it("is refused in words, and leaves no half made database", async () => {
    mount(60);
    const open = () => openDatabase({ url: null, dataDirectory: disk.path, log: silentLog });
    await expect(open()).rejects.toThrow(
      /^the disk of \S+database has 59 MiB free, and a new database needs 80 MiB: make room$/,
    );
    expect(readdirSync(disk.path).sort()).toEqual(["database.lock", "parley.json"]);
  });

  it("makes nothing of a cluster", async () => {
    mount(120);
    disk.fill(71 * MIB);
    const roles = temporaryDirectory("roles");
    onTestFinished(roles.remove);
    const data = join(disk.path, "data");
    const start = (): Promise<TestCluster> =>
      startCluster({ dataDirectory: data, distDirectory: fakeRoles(roles.path) });
    await expect(start()).rejects.toThrow(
      /^The disk of \S+ has 7[01] MiB free, and a first start needs 96 MiB; make room/,
    );
    expect(existsSync(data) ? readdirSync(data) : []).toEqual([]);
    disk.empty();
    await (await start()).stop();
  });
});

describe("JetStream with little room", () => {
  const connect = async (url: string, complaints: string[] = []): Promise<Bus> => {
    const note = (line: string): void => {
      const { msg, err } = JSON.parse(line) as { msg: string; err?: { message: string } };
      complaints.push(err?.message ?? msg);
    };
    const log = pino({ level: "warn" }, { write: note });
    const bus = await connectNats({ url, name: "test", log });
    onTestFinished(() => bus.close());
    return bus;
  };
  const take = (bus: Bus, got: unknown[]) => {
    const subscription = bus.consume<unknown>(
      { stream: usageStream, consumer: "test", batch: 10, lingerMs: 0 },
      async (messages) => void got.push(...messages),
    );
    onTestFinished(() => subscription.stop());
    return subscription;
  };

  it("makes a smaller stream of usage, and says so", async () => {
    mount(71);
    const nats = await startNats({ directory: join(disk.path, "nats"), logFile: join(disk.path, "log") });
    onTestFinished(() => nats.stop());
    const complaints: string[] = [];
    const bus = await connect(nats.url, complaints);
    const got: unknown[] = [];
    await take(bus, got).ready;
    bus.publish(usageSubject, { usageId: "1" });
    await until(() => got.length === 1, { withinMs: 5000, what: "usage" });
    expect(complaints).toEqual(["JetStream has little room: a stream is smaller than it should be"]);
  });

  it("says clearly that there is none at all, and takes what there is later", async () => {
    mount(71);
    disk.fill(MIB);
    const settings = { directory: join(disk.path, "nats"), logFile: join(disk.path, "log") };
    let nats = await startNats(settings);
    onTestFinished(() => nats.stop());
    const complaints: string[] = [];
    const bus = await connect(nats.url, complaints);
    const subscription = take(bus, []);
    await until(() => complaints.length > 0, { withinMs: 5000, what: "a complaint" });
    expect(complaints[0]).toContain(
      "JetStream has no room for the stream parley-usage: make room on the disk of the NATS server, or raise its max_file_store",
    );
    disk.empty();
    await nats.stop();
    nats = await startNats({ ...settings, port: nats.port });
    await subscription.ready;
  });

  it("knows after its next start what was made when the disk was full, and first used when it was not", async () => {
    mount(120);
    const data = openDataDirectory(disk.path);
    const settings = { directory: makeFolder(data, "nats").path, logFile: join(disk.path, "log") };
    let nats = await startNats(settings);
    onTestFinished(() => nats.stop());
    let bus = await connect(nats.url);
    const stored = () => bus.objects(openUsageBucket).get("an edge's");
    disk.fill();
    await expect(bus.objects(openUsageBucket).put("an edge's", Buffer.from("usage"))).rejects.toThrow();
    disk.empty();
    await bus.objects(openUsageBucket).put("an edge's", Buffer.from("usage"));
    await bus.close();
    await nats.stop();
    const streams = join(settings.directory, "jetstream/jetstream/$G/streams");
    expect(readFileSync(join(streams, `OBJ_${openUsageBucket.name}/meta.inf`), "utf8")).toContain(openUsageBucket.name);
    nats = await startNats(settings);
    bus = await connect(nats.url);
    expect(Buffer.from((await stored()) ?? []).toString()).toBe("usage");
  });

  it("finds its streams again when the disk has become smaller than what they reserved", async () => {
    mount(160);
    const roles = temporaryDirectory("roles");
    onTestFinished(roles.remove);
    const start = (): Promise<TestCluster> =>
      startCluster({
        dataDirectory: join(disk.path, "data"),
        distDirectory: fakeRoles(roles.path),
        settings: { DATABASE_URL: "postgres://elsewhere" },
      });
    const first = await start();
    const bus = await connect(first.natsUrl);
    const got: unknown[] = [];
    const subscription = take(bus, got);
    await subscription.ready;
    await subscription.stop();
    bus.publish(usageSubject, { usageId: "waits" });
    await bus.flush();
    await bus.close();
    await first.stop();
    disk.fill(33 * MIB);
    const second = await start();
    onTestFinished(() => second.stop());
    const later = take(await connect(second.natsUrl), got);
    await later.ready;
    await until(() => got.length === 1, { withinMs: 5000, what: "the usage of before" });
  });
});

describe("logs on a full disk of their own", () => {
  it("are dropped and counted, while everything else starts, runs and goes on logging when there is room", async () => {
    const data = temporaryDirectory("data");
    const roles = temporaryDirectory("roles");
    onTestFinished(() => {
      roles.remove();
      data.remove();
    });
    mkdirSync(join(data.path, "logs"));
    mount(1, join(data.path, "logs"));
    disk.fill();
    const talkative = `async ({ log }) => { const timer = setInterval(() => log.info({ padding: "x".repeat(2000) }, "tick"), 20); return { drain: async () => {}, stop: async () => clearInterval(timer) }; }`;
    const cluster = await startCluster({
      dataDirectory: data.path,
      distDirectory: fakeRoles(roles.path, { scheduler: talkative }),
    });
    onTestFinished(() => cluster.stop());
    const said = (): string[] =>
      cluster.complaints.filter(({ name }) => name === "scheduler-1").map(({ text }) => text);
    await until(() => said().length > 0, { withinMs: 5000, what: "lines to be dropped" });
    expect(said()).toEqual([
      "its log cannot be written (no space is left on the disk): lines are dropped until it can",
    ]);
    disk.empty();
    const log = (): string => readFileSync(join(data.path, "logs/scheduler-1.log"), "utf8");
    await until(() => existsSync(join(data.path, "logs/scheduler-1.log")) && log().includes('"tick"'), {
      withinMs: 5000,
      what: "a line",
    });
    const dropped = /"dropped":(\d+)/.exec(log())?.[1];
    expect(Number(dropped)).toBeGreaterThan(0);
    expect(said()).toContain(`${dropped} log lines were dropped: they could not be written`);
    for (const line of log().trimEnd().split("\n"))
      expect(JSON.parse(line)).toMatchObject({ role: expect.any(String) as string });
    expect(cluster.processes().map(({ lives }) => lives)).toEqual(cluster.processes().map(() => 1));
  });
});
