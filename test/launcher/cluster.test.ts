import { readFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "@nats-io/transport-node";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { connectNats } from "#common/bus/nats";
import { createLogger } from "#common/log";
import { liveKitElsewhere, startCluster, type TestCluster } from "../harness/cluster.js";
import { isAlive, until, untilGone } from "../harness/processes.js";
import { temporaryDirectory } from "../harness/temporary-directory.js";
import { fakeRoles } from "./fake-roles.js";

describe("a cluster of child processes", () => {
  const roles = temporaryDirectory("roles");
  let cluster: TestCluster;

  beforeAll(async () => {
    cluster = await startCluster({
      distDirectory: fakeRoles(roles.path),
      schedulers: 2,
      workers: 2,
      agents: 2,
      settings: liveKitElsewhere,
    });
  });
  afterAll(async () => {
    await cluster.stop();
    roles.remove();
  });

  it("starts its servers and every role, under stable names", () => {
    const names = cluster.processes().map((entry) => entry.name);
    expect(names).toEqual([
      "redis",
      "nats",
      "control-plane",
      "scheduler-1",
      "scheduler-2",
      "worker-1",
      "worker-2",
      "agent-1",
      "agent-2",
      "edge",
    ]);
    expect(cluster.processes().every(({ pid }) => pid !== null && isAlive(pid))).toBe(true);
  });

  it.each(["worker-1", "nats", "redis", "edge"])("starts %s again within a second when it is killed", async (name) => {
    const before = cluster.processes().find((entry) => entry.name === name);
    const readyBefore = cluster.events.filter((event) => event.type === "ready" && event.name === name).length;
    expect(cluster.kill(name)).toBe(true);
    const isBack = (): boolean =>
      cluster.events.filter((event) => event.type === "ready" && event.name === name).length > readyBefore;
    await until(isBack, { withinMs: 3000, what: `${name} to be back` });
    const after = cluster.processes().find((entry) => entry.name === name);
    expect(after?.lives).toBe((before?.lives ?? 0) + 1);
    expect(after?.pid).not.toBe(before?.pid);
  });

  it("keeps a child's member id over its lives", () => {
    const ids = cluster.events.flatMap((event) =>
      event.type === "ready" && event.name === "worker-1" ? [event.facts.id] : [],
    );
    expect(ids.length).toBeGreaterThan(1);
    expect(new Set(ids).size).toBe(1);
    expect(ids[0]).toMatch(/^worker-1-[0-9a-f]{8}$/);
  });

  it("keeps the bus and the cache from other users of the machine", async () => {
    const { hostname, port } = new URL(cluster.natsUrl);
    await expect(connect({ servers: `${hostname}:${port}`, reconnect: false })).rejects.toThrow("Authorization");
    const bus = await connectNats({ url: cluster.natsUrl, name: "test", log: createLogger("test", "fatal") });
    await bus.flush();
    await bus.close();
    const stranger = new Redis({ port: Number(new URL(cluster.redisUrl).port), retryStrategy: null });
    onTestFinished(() => stranger.disconnect());
    stranger.on("error", () => undefined);
    await expect(stranger.get("key")).rejects.toThrow("NOAUTH");
    const client = new Redis(cluster.redisUrl);
    onTestFinished(() => client.disconnect());
    expect(await client.get("key")).toBeNull();
  });

  it("collects what the children log, one JSON object a line", () => {
    const lines = readFileSync(join(cluster.dataDirectory, "logs", "scheduler-2.log"), "utf8")
      .trim()
      .split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toContain("ready");
  });
});

describe("ending a cluster", () => {
  it("drains edge, agents, workers, schedulers and control plane in this order, and leaves no process", async () => {
    const roles = temporaryDirectory("roles");
    const record = join(roles.path, "order");
    const noted = `async (context) => { const { appendFileSync } = await import("node:fs"); setInterval(() => {}, 1000);
      return { drain: async () => appendFileSync(${JSON.stringify(record)}, context.id.replace(/-[0-9a-f]{8}$/, "") + "\\n"), stop: async () => {} }; }`;
    onTestFinished(roles.remove);
    const cluster = await startCluster({
      distDirectory: fakeRoles(roles.path, {
        edge: noted,
        agents: noted,
        scheduler: noted,
        workers: noted,
        "control-plane": noted,
      }),
      agents: 1,
      settings: liveKitElsewhere,
    });
    const pids = cluster.processes().map(({ pid }) => pid ?? 0);
    await cluster.stop();
    expect(readFileSync(record, "utf8").trim().split("\n")).toEqual([
      "edge",
      "agent-1",
      "worker-1",
      "scheduler-1",
      "control-plane",
    ]);
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it("kills a role that neither drains nor reacts", async () => {
    const roles = temporaryDirectory("roles");
    onTestFinished(roles.remove);
    const deaf =
      "async () => { setTimeout(() => { for (;;); }, 50); return { drain: async () => {}, stop: async () => {} }; }";
    const cluster = await startCluster({
      distDirectory: fakeRoles(roles.path, { workers: deaf }),
      settings: { PARLEY_DRAIN_MS: "0" },
    });
    const pids = cluster.processes().map(({ pid }) => pid ?? 0);
    await cluster.stop();
    await Promise.all(pids.map((pid) => untilGone(pid, 1000)));
  });

  it("says which role does not start, and why", async () => {
    const roles = temporaryDirectory("roles");
    onTestFinished(roles.remove);
    const broken = 'async () => { throw new Error("no voice to speak with"); }';
    const start = startCluster({ distDirectory: fakeRoles(roles.path, { workers: broken }) });
    await expect(start).rejects.toThrow(
      /^worker-1 does not start: could not start: no voice to speak with \(log: .*worker-1\.log\)$/,
    );
  });
});
