import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Redis } from "ioredis";
import { connect } from "@nats-io/transport-node";
import { Objm } from "@nats-io/obj";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { findFreePort, startNats as launchNats } from "#launcher/servers";
import { isAlive, untilGone } from "../harness/processes.js";
import { type ExternalServer, startNats, startRedis } from "../harness/servers.js";
import { temporaryDirectory } from "../harness/temporary-directory.js";

describe("servers that the launcher starts", () => {
  let nats: ExternalServer;
  let redis: ExternalServer;

  beforeAll(async () => {
    [nats, redis] = await Promise.all([startNats(), startRedis()]);
  });
  afterAll(async () => {
    await Promise.all([nats.stop(), redis.stop()]);
  });

  it("gives a NATS server with JetStream and 8 MiB messages", async () => {
    const connection = await connect({ servers: nats.url });
    onTestFinished(() => connection.close());
    expect(connection.info?.max_payload).toBe(8 * 1024 * 1024);
    const store = await new Objm(connection).create("samples");
    await store.putBlob({ name: "a" }, new Uint8Array(3_000_000).fill(7));
    expect((await store.getBlob("a"))?.length).toBe(3_000_000);
  });

  it("finds ports that can be listened on, and that no outgoing connection is given", async () => {
    const lowestOutgoing = Number(readFileSync("/proc/sys/net/ipv4/ip_local_port_range", "utf8").split(/\s+/)[0]);
    for (let times = 0; times < 20; times++) {
      const port = await findFreePort();
      expect(port).toBeLessThan(lowestOutgoing);
      const server = createServer().listen(port, "127.0.0.1");
      await once(server, "listening");
      server.close();
    }
  });

  it("gives a Redis server", async () => {
    const client = new Redis(redis.url);
    onTestFinished(() => client.disconnect());
    expect(await client.set("k", "v")).toBe("OK");
    expect(await client.get("k")).toBe("v");
  });

  it("brings a server back on the port that it had", async () => {
    const first = await startRedis();
    onTestFinished(() => first.stop());
    process.kill(first.pid, "SIGKILL");
    expect(await first.ended).toEqual({ code: null, signal: "SIGKILL" });
    const second = await startRedis({ port: first.port });
    onTestFinished(() => second.stop());
    expect(second.url).toBe(first.url);
  });

  it("says in one line that a port is taken", async () => {
    const directory = temporaryDirectory("taken");
    onTestFinished(directory.remove);
    const launch = launchNats({
      directory: directory.path,
      logFile: join(directory.path, "log"),
      port: redis.port,
      readyMs: 3000,
    });
    await expect(launch).rejects.toThrow(`nats-server did not come up on port ${redis.port}`);
  });

  it("does not leave a server behind when its launcher is killed", async () => {
    const directory = temporaryDirectory("orphan");
    onTestFinished(directory.remove);
    const module = pathToFileURL(join(import.meta.dirname, "../../launcher/servers.js")).href;
    const script = `
      const { startNats, startRedis } = await import(${JSON.stringify(module)});
      const directory = ${JSON.stringify(directory.path)};
      const servers = await Promise.all([startNats, startRedis].map((start, i) => start({ directory: directory + "/" + i, logFile: directory + "/log" })));
      console.log(JSON.stringify(servers.map((server) => server.pid)));
      setInterval(() => {}, 1000);`;
    const launcher = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void launcher.kill("SIGKILL"));
    const [output] = (await once(launcher.stdout, "data")) as [Buffer];
    const pids = JSON.parse(output.toString()) as number[];
    expect(pids).toHaveLength(2);
    expect(pids.every(isAlive)).toBe(true);
    launcher.kill("SIGKILL");
    await Promise.all(pids.map((pid) => untilGone(pid, 4000)));
  });
});
