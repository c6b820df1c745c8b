import { join } from "node:path";
import { mkdirSync } from "node:fs";
import { spawnGuarded } from "#launcher/guarded-process";
import { findFreePorts } from "../harness/servers.js";
import { until } from "../harness/processes.js";

/** A nats-server with JetStream that says over HTTP what it holds. */
export interface MonitoredNats {
  url: string;
  monitorUrl: string;
  stop(): Promise<void>;
}

/** Starts one in a folder; it dies with this process. */
export async function startMonitoredNats(directory: string): Promise<MonitoredNats> {
  mkdirSync(directory, { recursive: true });
  const port = await findFreePorts(2);
  const monitorUrl = `http://127.0.0.1:${port + 1}`;
  const flags = ["-a", "127.0.0.1", "-p", String(port), "-m", String(port + 1), "-js", "-sd", directory];
  const server = await spawnGuarded({ command: "nats-server", args: flags, logFile: join(directory, "server.log") });
  const answers = (): Promise<boolean> =>
    fetch(`${monitorUrl}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(answers, { withinMs: 10_000, what: "nats-server" });
  return { url: `nats://127.0.0.1:${port}`, monitorUrl, stop: () => server.stop(1000) };
}
