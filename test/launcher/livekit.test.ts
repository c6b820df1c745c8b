import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { systemClock } from "#common/clock";
import { openLiveKitServer } from "#common/livekit/livekit-server";
import { buildLiveKit, findLiveKit, liveKitCache } from "#launcher/livekit/build";
import { findLiveKitPorts, startLiveKit } from "#launcher/livekit/server";
import { startCluster, type TestCluster, type TestClusterOptions } from "../harness/cluster.js";
import { canRunLiveKit, findOrBuildLiveKit, LIVEKIT_BUILD_MS } from "../harness/livekit.js";
import { descendantsOf, isAlive, until } from "../harness/processes.js";
import { temporaryDirectory } from "../harness/temporary-directory.js";
import { fakeRoles } from "./fake-roles.js";

/** A folder with a program `go` that does what `script` says; its calls are lines of `calls`. */
function fakeGo(directory: string, script: string): { path: string; calls: () => string[] } {
  const bin = join(directory, "bin");
  const record = join(directory, "calls");
  mkdirSync(bin, { recursive: true });
  writeFileSync(record, "");
  writeFileSync(join(bin, "go"), `#!/bin/sh\necho "$GOBIN $@" >> "${record}"\n${script}\n`);
  chmodSync(join(bin, "go"), 0o755);
  return { path: `${bin}:/usr/bin:/bin`, calls: () => readFileSync(record, "utf8").trim().split("\n").filter(Boolean) };
}

function scene(script: string) {
  const directory = temporaryDirectory("go");
  onTestFinished(directory.remove);
  const go = fakeGo(directory.path, script);
  const environment = { PATH: go.path, XDG_CACHE_HOME: join(directory.path, "cache") };
  const logFile = join(directory.path, "build.log");
  const build = () => buildLiveKit({ environment, logFile, clock: systemClock, isIdle: true });
  const kept = (): string[] => readdirSync(liveKitCache(environment)).filter((name) => name !== "build.lock");
  return { environment, logFile, build, kept, calls: go.calls };
}

describe("building LiveKit's server", () => {
  it("asks Go for the pinned module, and keeps what comes for the next time", async () => {
    const { environment, build, kept, calls } = scene('echo "#!/bin/sh" > "$GOBIN/server"; chmod 755 "$GOBIN/server"');
    expect(findLiveKit(environment)).toBeNull();
    const program = await build().done;
    expect(program).toBe(findLiveKit(environment));
    expect(statSync(program).mode & 0o111).not.toBe(0);
    expect(calls()).toHaveLength(1);
    expect(calls()[0]).toMatch(/ install -ldflags -s -w github\.com\/livekit\/livekit-server\/cmd\/server@v1\.13\.5$/);
    expect(kept()).toEqual(["livekit-server"]);
    expect(await build().done).toBe(program);
    expect(calls()).toHaveLength(1);
  });

  it("happens once where several want it at the same time", async () => {
    const { build, kept, calls } = scene('sleep 1; echo "#!/bin/sh" > "$GOBIN/server"');
    const programs = await Promise.all([build().done, build().done, build().done]);
    expect(new Set(programs).size).toBe(1);
    expect(calls()).toHaveLength(1);
    expect(kept()).toEqual(["livekit-server"]);
  });

  it("leaves nothing behind where it fails, and says where its messages are", async () => {
    const { build, kept, logFile } = scene('echo half > "$GOBIN/server"; echo no module >&2; exit 1');
    await expect(build().done).rejects.toThrow(`see ${logFile}`);
    expect(readFileSync(logFile, "utf8")).toContain("no module");
    expect(kept()).toEqual([]);
  });

  it("ends with all that it started when it is given up", async () => {
    const { build, kept, calls } = scene('echo half > "$GOBIN/server"; sleep 60');
    const building = build();
    const sleepers = (): number[] => descendantsOf(process.pid).filter((pid) => commandOf(pid).startsWith("sleep 60"));
    await until(() => sleepers().length === 1, { withinMs: 5000, what: "the compiler" });
    const processes = sleepers();
    expect(calls()).toHaveLength(1);
    await building.stop();
    await until(() => !processes.some(isAlive), { withinMs: 2000, what: "the compiler to end" });
    expect(kept()).toEqual([]);
  });
});

const commandOf = (pid: number): string => {
  const file = `/proc/${pid}/cmdline`;
  return existsSync(file) ? readFileSync(file, "utf8").replaceAll("\0", " ") : "";
};

describe.skipIf(!canRunLiveKit)("a cluster with a LiveKit server of its own", () => {
  const roles = temporaryDirectory("roles");
  let program = "";

  beforeAll(async () => {
    program = await findOrBuildLiveKit();
    const told =
      "async (context) => ({ drain: async () => {}, stop: async () => {}, facts: { url: context.config.LIVEKIT_URL, public: context.config.LIVEKIT_PUBLIC_URL, key: context.config.LIVEKIT_API_KEY, secret: context.config.LIVEKIT_API_SECRET } })";
    fakeRoles(roles.path, { "control-plane": told });
  }, LIVEKIT_BUILD_MS);
  afterAll(() => roles.remove());

  async function start(options: TestClusterOptions, script = `sleep 1; cp "${program}" "$GOBIN/server"`) {
    const { environment, calls } = scene(script);
    const data = temporaryDirectory("data");
    onTestFinished(data.remove);
    const cluster = await startCluster({
      distDirectory: roles.path,
      dataDirectory: data.path,
      ...options,
      environment,
      settings: { PARLEY_LIVEKIT: "auto", ...options.settings },
    });
    let isStopped = false;
    const stop = async (): Promise<void> => {
      if (!isStopped) await cluster.stop();
      isStopped = true;
    };
    onTestFinished(stop);
    return { cluster, stop, calls };
  }

  const accessOf = (cluster: TestCluster): { url: string; apiKey: string; apiSecret: string } => {
    const event = cluster.events.find((candidate) => candidate.type === "ready" && candidate.name === "control-plane");
    const { url, key, secret } = (event?.type === "ready" ? event.facts : {}) as Record<string, string>;
    return { url: url ?? "", apiKey: key ?? "", apiSecret: secret ?? "" };
  };

  const isRunning = (cluster: TestCluster): Promise<void> =>
    until(() => cluster.gateway().type === "running", { withinMs: 20_000, what: "LiveKit" });

  it("is up before it is built, tells the roles where it will be, and ends with everything", async () => {
    const { cluster, stop, calls } = await start({});
    expect(cluster.gateway()).toEqual({ type: "building" });
    const access = accessOf(cluster);
    expect(access.url).toMatch(/^ws:\/\/127\.0\.0\.1:\d+$/);
    await isRunning(cluster);
    expect(calls()).toHaveLength(1);
    expect(cluster.gateway()).toEqual({ type: "running", url: access.url });
    expect(await openLiveKitServer(access).listParticipants("none")).toEqual([]);
    await expect(
      openLiveKitServer({ ...access, apiSecret: "other".repeat(8) }).listParticipants("none"),
    ).rejects.toThrow("401");
    const folder = join(cluster.dataDirectory, "livekit");
    for (const name of ["livekit.yaml", "key.json"]) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);

    const first = cluster.processes().find(({ name }) => name === "livekit");
    expect(cluster.kill("livekit")).toBe(true);
    await until(() => cluster.processes().find(({ name }) => name === "livekit")?.lives === 2, {
      withinMs: 5000,
      what: "its next life",
    });
    await isRunning(cluster);
    expect(await openLiveKitServer(access).listParticipants("none")).toEqual([]);
    expect(cluster.processes().find(({ name }) => name === "livekit")?.pid).not.toBe(first?.pid);
    const pids = cluster.processes().map(({ pid }) => pid ?? 0);
    await stop();
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it("keeps its key as long as the data directory is kept", async () => {
    const data = temporaryDirectory("data");
    onTestFinished(data.remove);
    const first = await start({ dataDirectory: data.path });
    const key = accessOf(first.cluster);
    await first.stop();
    const second = await start({ dataDirectory: data.path });
    expect(accessOf(second.cluster)).toMatchObject({ apiKey: key.apiKey, apiSecret: key.apiSecret });
    await second.stop();
  });

  it("serves without it where it cannot be built, and says why", async () => {
    const { cluster } = await start({}, "exit 1");
    await until(() => cluster.gateway().type === "missing", { withinMs: 5000, what: "the failure" });
    expect(cluster.gateway()).toMatchObject({ reason: expect.stringContaining("livekit-build.log") });
    expect(cluster.processes().every(({ pid }) => pid !== null)).toBe(true);
  });

  it("says how the server ended where somebody else has its port", async () => {
    const directory = temporaryDirectory("taken");
    onTestFinished(directory.remove);
    const stranger = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void stranger.close());
    await once(stranger, "listening");
    const taken = (stranger.address() as AddressInfo).port;
    const launch = startLiveKit({
      program,
      directory: directory.path,
      logFile: join(directory.path, "log"),
      ports: { ...(await findLiveKitPorts()), tcpPort: taken },
      key: { apiKey: "test", apiSecret: "secret".repeat(6) },
    });
    await expect(launch).rejects.toThrow(/^livekit-server ended with code 0 on port \d+; see .*log$/);
  });

  it("starts none where one is configured", async () => {
    const settings = { LIVEKIT_URL: "wss://rooms.example.com", LIVEKIT_API_KEY: "k", LIVEKIT_API_SECRET: "s" };
    const { cluster, calls } = await start({ settings });
    expect(cluster.gateway()).toEqual({ type: "elsewhere", url: "wss://rooms.example.com" });
    expect(accessOf(cluster)).toEqual({ url: "wss://rooms.example.com", apiKey: "k", apiSecret: "s" });
    expect(cluster.processes().map(({ name }) => name)).not.toContain("livekit");
    expect(existsSync(join(cluster.dataDirectory, "livekit"))).toBe(false);
    expect(calls()).toEqual([]);
  });
});
