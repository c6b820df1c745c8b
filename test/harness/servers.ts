import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { type ExternalServer, startNats as launchNats, startRedis as launchRedis } from "#launcher/servers";
import { temporaryDirectory } from "./temporary-directory.js";

export type { ExternalServer };

/**
 * A nats-server with JetStream, for one test file: `url`, `port`, `pid`, `stop()`. It dies with the test process,
 * whatever happens. Give the `port` of one that was stopped or killed to bring it back; its store is fresh.
 */
export function startNats(options: { port?: number } = {}): Promise<ExternalServer> {
  return startIn("nats", launchNats, options);
}

/** A redis-server, as `startNats`. */
export function startRedis(options: { port?: number } = {}): Promise<ExternalServer> {
  return startIn("redis", launchRedis, options);
}

async function startIn(label: string, launch: typeof launchNats, options: { port?: number }): Promise<ExternalServer> {
  const directory = temporaryDirectory(label);
  try {
    const server = await launch({ directory: directory.path, logFile: join(directory.path, "server.log"), ...options });
    return { ...server, stop: (graceMs) => server.stop(graceMs).finally(directory.remove) };
  } catch (error) {
    directory.remove();
    throw error;
  }
}

/**
 * Below the ports that the system gives to whoever asks for any (ip(7), `ip_local_port_range`): nobody else's
 * connection takes one by chance.
 */
const QUIET_PORTS = { first: 20_000, last: 30_000 };

/** The first of `count` ports in a row that nobody listens on. Throws after many tries in vain. */
export async function findFreePorts(count: number): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const first = randomInt(QUIET_PORTS.first, QUIET_PORTS.last - count);
    const free = await Promise.all(Array.from({ length: count }, (_, offset) => isFree(first + offset)));
    if (free.every(Boolean)) return first;
  }
  throw new Error(`no ${count} free ports in a row`);
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  try {
    await once(probe.listen(port, "127.0.0.1"), "listening");
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") return false;
    throw error;
  } finally {
    probe.close();
  }
}
