import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Role } from "#protocol/bus/membership";
import type { Clock } from "#common/clock";
import type { Config } from "#common/config/config";
import { makePrivateFolder, openDataDirectory } from "#common/data-directory/data-directory";
import { PRIVATE_FOLDER } from "#common/files/durable-file";
import { newIdentifier } from "#common/identifier";
import { modelFolders } from "./added-models.js";
import { untilEdgeServes } from "./edge-readiness.js";
import { type GatewayState, type OwnLiveKit, ownsLiveKit } from "./livekit/own-livekit.js";
import type { TerminalLine } from "./log-collector.js";
import type { RestartPolicy } from "./restart-policy.js";
import { launchRole } from "./role-process.js";
import { openRoleLogs } from "./role-logs.js";
import type { RunRecord } from "./run-file.js";
import { startOwnServers } from "./own-servers.js";
import { findFreePort } from "./servers.js";
import { requireStartRoom } from "./start-room.js";
import { watchStartup } from "./startup-watch.js";
import { type ChildEvent, type Supervised, type SuperviseOptions, supervise } from "./supervised.js";

export interface ClusterOptions {
  config: Config;
  /** What the roles find in their environment, besides what the launcher sets. */
  environment: Record<string, string | undefined>;
  /** Where the compiled rooms lie. */
  distDirectory: string;
  /** Absolute; created when missing. */
  dataDirectory: string;
  apiKey: string;
  clock: Clock;
  restartPolicy: RestartPolicy;
  onEvent: (event: ChildEvent) => void;
  /** A child's warning or error. */
  onTerminalLine: (name: string, line: TerminalLine) => void;
  /** The LiveKit server is there, or will not be. */
  onGateway?: (state: GatewayState) => void;
}

/** All processes of one machine's Parley. */
export interface Cluster {
  baseUrl: string;
  /** With the password, as `redisUrl`. */
  natsUrl: string;
  redisUrl: string;
  /** Those of this moment: LiveKit's server joins them late where it is built first. */
  children(): readonly Supervised[];
  /** Of the launcher's own LiveKit server, whether or not it is there yet; for `run.json`. */
  liveKit: RunRecord["liveKit"];
  /** Where the rooms of conversations are; nobody waits for it to be ready. */
  gateway(): GatewayState;
  /**
   * Resolves when every child is ready and the edge knows of them; rejects with LaunchError when one ends again and
   * again instead.
   */
  ready: Promise<void>;
  /** Ends the processes of these roles and starts them again, all at once; resolves when the old ones are gone. */
  restart(roles: readonly Role[]): Promise<void>;
  /**
   * Drains in order: edge, agents, workers, schedulers, control plane, then Redis, NATS and LiveKit. Resolves when all
   * are gone.
   */
  stop(): Promise<void>;
  /** Ends everything now; streams break off. Resolves when all are gone. */
  kill(): Promise<void>;
}

/** What a role may take beyond its drain to close what it holds (`common/lifecycle` gives up after 2 s). */
const STOP_GRACE_MS = 3000;

const drainOrder: readonly Role[] = ["edge", "agent", "worker", "scheduler", "control-plane"];

/**
 * Starts NATS, Redis and LiveKit where no URL is configured, then every role, and keeps them all alive. Ports are
 * picked once: a server that is started again has the address it had, so that the roles find it. Throws
 * DataDirectoryError or LaunchError, with nothing started, where the data directory may not be used or has no room.
 */
export async function launchCluster(options: ClusterOptions): Promise<Cluster> {
  const { config, dataDirectory } = options;
  mkdirSync(dataDirectory, { recursive: true, mode: PRIVATE_FOLDER });
  requireStartRoom(dataDirectory, config);
  const directory = openDataDirectory(dataDirectory);
  const logDirectory = join(dataDirectory, "logs");
  makePrivateFolder(logDirectory);
  const { startup, logs, keepAlive } = openSupervision(options, logDirectory);
  const { nats, redis, liveKit } = await startOwnServers({
    config,
    clock: options.clock,
    directory,
    logDirectory,
    keepAlive,
    onTerminalLine: options.onTerminalLine,
    liveKit: { ...options, logDirectory, onState: (state) => options.onGateway?.(state) },
  });
  const address = {
    natsUrl: nats.url,
    redisUrl: redis.url,
    port: config.PORT === 0 ? await findFreePort() : config.PORT,
    liveKit: liveKit.environment,
  };
  const environmentOf = roleEnvironment(options, address);
  const baseUrl = `http://${hostForUrl(config.HOST)}:${address.port}`;
  const roles = plannedRoles(config).map(({ name, role }, index) => {
    const environment = { ...environmentOf(name), ...metricsPort(config.PARLEY_METRICS_PORT, index) };
    const life = { role, distDirectory: options.distDirectory, environment, sink: logs.sinkOf(name) };
    return { role, child: keepAlive(name, () => launchRole(life)) };
  });
  const servers = [redis.child, nats.child].filter((child) => child !== null);
  const children = [...servers, ...roles.map(({ child }) => child)];
  const ready = Promise.race([
    Promise.all(children.map((child) => child.firstReady)).then(() => untilEdgeServes(baseUrl)),
    startup.hopeless,
  ]);
  // What it takes from the processor would make the start longer.
  ready.then(liveKit.buildIfMissing.bind(liveKit), () => undefined);

  return {
    baseUrl,
    natsUrl: address.natsUrl,
    redisUrl: address.redisUrl,
    children: () => [...children, ...[liveKit.child()].filter((child) => child !== null)],
    liveKit: recordOf(liveKit),
    gateway: () => liveKit.state(),
    ready,
    async restart(wanted) {
      const leaving = roles.filter(({ role }) => wanted.includes(role));
      await Promise.all(leaving.map(({ child }) => child.restart(STOP_GRACE_MS)));
    },
    async stop() {
      for (const role of drainOrder) {
        const leaving = roles.filter((candidate) => candidate.role === role);
        await Promise.all(leaving.map(({ child }) => child.stop(config.PARLEY_DRAIN_MS + STOP_GRACE_MS)));
      }
      await nats.unwatch();
      for (const server of servers) await server.stop(STOP_GRACE_MS);
      await liveKit.stop(STOP_GRACE_MS);
      logs.close();
    },
    async kill() {
      await Promise.all([nats.unwatch(), liveKit.stop(0), ...children.map((child) => child.stop(0))]);
      logs.close();
    },
  };
}

function recordOf({ environment, tcpPort }: OwnLiveKit): RunRecord["liveKit"] {
  const { LIVEKIT_URL: url, LIVEKIT_API_KEY: apiKey = "", LIVEKIT_API_SECRET: apiSecret = "" } = environment;
  return url === undefined
    ? null
    : { url, apiKey, apiSecret, publicUrl: environment.LIVEKIT_PUBLIC_URL ?? url, tcpPort };
}

/** Where children log to, and what keeps them alive. */
function openSupervision(options: ClusterOptions, logDirectory: string) {
  const startup = watchStartup(logDirectory);
  const logs = openRoleLogs(
    logDirectory,
    () => options.clock.nowMs(),
    (name, line) => {
      startup.noteLine(name, line);
      options.onTerminalLine(name, line);
    },
  );
  const keepAlive = (name: string, launch: SuperviseOptions["launch"]): Supervised =>
    supervise({
      name,
      launch,
      clock: options.clock,
      policy: options.restartPolicy,
      onEvent: (event) => {
        startup.noteEvent(event);
        options.onEvent(event);
      },
    });
  return { startup, logs, keepAlive };
}

/** The environment of each role, by the child's name. */
function roleEnvironment(
  options: ClusterOptions,
  address: { natsUrl: string; redisUrl: string; port: number; liveKit: Record<string, string> },
): (name: string) => Record<string, string | undefined> {
  // Ids are stable over the lives of one child, and unlike those of another launcher on the same bus.
  const suffix = newIdentifier().slice(0, 8);
  const settled = {
    NATS_URL: address.natsUrl,
    REDIS_URL: address.redisUrl,
    PORT: String(address.port),
    PARLEY_DATA_DIR: options.dataDirectory,
    PARLEY_API_KEY: options.apiKey,
    PARLEY_MODELS: modelFolders(options.config, options.dataDirectory),
    ...address.liveKit,
  };
  const shared: Record<string, string | undefined> = { ...options.environment, ...settled };
  // A variable given as a file would win over what is settled here.
  for (const name of Object.keys(settled)) delete shared[`${name}_FILE`];
  return (name) => ({ ...shared, PARLEY_MEMBER_ID: `${name}-${suffix}` });
}

/**
 * Every child answers scrapers on a port of its own: the configured one and those after it, in the order of
 * `plannedRoles`.
 */
function metricsPort(first: number, index: number): Record<string, string | undefined> {
  return first === 0 ? {} : { PARLEY_METRICS_PORT: String(first + index), PARLEY_METRICS_PORT_FILE: undefined };
}

/** The roles of one machine, by name. Without a LiveKit server there is nowhere to hold conversations. */
export function plannedRoles(
  config: Pick<Config, "PARLEY_SCHEDULERS" | "PARLEY_WORKERS" | "PARLEY_AGENTS" | "PARLEY_LIVEKIT" | "LIVEKIT_URL">,
): { name: string; role: Role }[] {
  const hasLiveKit = config.LIVEKIT_URL !== null || ownsLiveKit(config);
  const numbered = (role: Role, count: number): { name: string; role: Role }[] =>
    Array.from({ length: count }, (_, index) => ({ name: `${role}-${index + 1}`, role }));
  return [
    { name: "control-plane", role: "control-plane" },
    ...numbered("scheduler", config.PARLEY_SCHEDULERS),
    ...numbered("worker", config.PARLEY_WORKERS),
    ...numbered("agent", hasLiveKit ? config.PARLEY_AGENTS : 0),
    { name: "edge", role: "edge" },
  ];
}

/** The address that a client on this machine uses for a listener on `host`. */
function hostForUrl(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}
