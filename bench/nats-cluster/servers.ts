import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { jetstreamManager, type JetStreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { type GuardedProcess, spawnGuarded } from "#launcher/guarded-process";
import { findFreePort, NATS_MAX_PAYLOAD_BYTES } from "#launcher/servers";

const SERVERS = 3;
const READY_MS = 60_000;
const AGAIN_MS = 100;

/** Three NATS servers on loopback that are one. */
export interface NatsServers {
  /** Of the first one, which tells its clients of the others. */
  url: string;
  /** Has every stream that is there stored by all three; resolves when all of them have all of it. Gives their names. */
  replicate(): Promise<string[]>;
  /** Ends the first one at once; resolves when it is gone. */
  killFirst(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts them; resolves when their JetStream has chosen a leader. Throws when it does not in time. */
export async function startNatsServers(): Promise<NatsServers> {
  const directory = mkdtempSync(join(tmpdir(), "parley-bench-nats-"));
  const ports = await distinctPorts(SERVERS * 2);
  const [clientPorts, routePorts] = [ports.slice(0, SERVERS), ports.slice(SERVERS)];
  const routes = routePorts.map((port) => `nats-route://127.0.0.1:${port}`).join(", ");
  const servers: GuardedProcess[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(servers.map((server) => server.stop()));
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    for (const [index, port] of clientPorts.entries()) {
      const folder = join(directory, String(index));
      mkdirSync(folder);
      const file = join(folder, "nats.conf");
      const configuration = [
        `listen: "127.0.0.1:${port}"`,
        `server_name: bench-${index}`,
        `max_payload: ${NATS_MAX_PAYLOAD_BYTES}`,
        `jetstream: { store_dir: ${JSON.stringify(join(folder, "jetstream"))} }`,
        `cluster: { name: bench, listen: "127.0.0.1:${routePorts[index]}", routes: [${routes}] }`,
      ];
      writeFileSync(file, `${configuration.join("\n")}\n`);
      servers.push(
        await spawnGuarded({ command: "nats-server", args: ["-c", file], logFile: join(folder, "server.log") }),
      );
    }
    const url = `nats://127.0.0.1:${clientPorts[0]}`;
    await withManager(url, (manager) => untilDone("JetStream had no leader", () => manager.streams.list().next()));
    return {
      url,
      replicate: () => withManager(url, replicateAll),
      killFirst: async () => {
        servers[0]?.signal("SIGKILL");
        await servers[0]?.ended;
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function replicateAll(manager: JetStreamManager): Promise<string[]> {
  const names = (await manager.streams.list().next()).map(({ config }) => config.name);
  for (const name of names) await manager.streams.update(name, { num_replicas: SERVERS });
  await untilDone("not every stream was replicated", async () => {
    for (const name of names) {
      const { cluster } = await manager.streams.info(name);
      const current = cluster?.replicas?.filter((replica) => replica.current) ?? [];
      if (current.length !== SERVERS - 1) throw new Error(`${name} has ${current.length} replicas`);
    }
  });
  return names;
}

async function withManager<T>(url: string, work: (manager: JetStreamManager) => Promise<T>): Promise<T> {
  const connection = await connect({ servers: url, waitOnFirstConnect: true });
  try {
    return await work(await jetstreamManager(connection, { checkAPI: false }));
  } finally {
    await connection.close();
  }
}

/** Tries until it does not reject any more. */
async function untilDone(failure: string, attempt: () => Promise<unknown>): Promise<void> {
  const latest = performance.now() + READY_MS;
  for (;;) {
    try {
      await attempt();
      return;
    } catch (cause) {
      if (performance.now() > latest) throw new Error(`${failure} after ${READY_MS} ms`, { cause });
      await delay(AGAIN_MS);
    }
  }
}

async function distinctPorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await findFreePort());
  return [...ports];
}
