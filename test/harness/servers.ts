import { join } from "node:path";
import { type ExternalServer, startNats as launchNats, startRedis as launchRedis } from "#launcher/servers";
import { temporaryDirectory } from "./temporary-directory.js";

export type { ExternalServer };

/**
 * A nats-server with JetStream, for one test file: `url`, `port`, `pid`, `stop()`. It dies with the test process, whatever happens.
 * Give the `port` of one that was stopped or killed to bring it back; its store is fresh.
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
