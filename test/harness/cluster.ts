import { join } from "node:path";
import { systemClock } from "#common/clock";
import { loadConfig } from "#common/config/config";
import { launchCluster, plannedRoles } from "#launcher/cluster";
import type { GatewayState } from "#launcher/livekit/own-livekit";
import { defaultRestartPolicy } from "#launcher/restart-policy";
import type { ChildEvent } from "#launcher/supervised";
import { prepareDatabase } from "./prepared-database.js";
import { findFreePorts } from "./servers.js";
import { temporaryDirectory } from "./temporary-directory.js";

export interface TestClusterOptions {
  schedulers?: number;
  workers?: number;
  /**
   * Models of the workers; without it only those that speak: a recognizer takes its time to load, and few tests listen.
   */
  models?: readonly string[];
  /** Runtimes of conversations; none when absent. */
  agents?: number;
  /** Further settings, by their variable's name, such as `NATS_URL` of a server of the test's own. */
  settings?: Record<string, string>;
  /** Variables of the launcher that are no settings, such as PATH. */
  environment?: Record<string, string>;
  /** Where `edge/main.js` and the others lie; the compiled product when absent. */
  distDirectory?: string;
  /** Kept over several clusters when given; a temporary one otherwise. */
  dataDirectory?: string;
  /** How long all roles may take to be ready; 60 s when absent. */
  readyMs?: number;
}

/** Where a service is, and a key of it. */
export interface ServiceAccess {
  baseUrl: string;
  apiKey: string;
}

/** A real cluster of real processes, on free loopback ports and in a data directory of its own. */
export interface TestCluster extends ServiceAccess {
  /** With its password: `connectNats` takes it from there, the client library's own `connect` does not. */
  natsUrl: string;
  redisUrl: string;
  dataDirectory: string;
  /**
   * The processes of this moment: `nats`, `redis`, `control-plane`, `scheduler-1`…, `worker-1`…, `edge`. A pid is null
   * between two lives.
   */
  processes(): { name: string; pid: number | null; lives: number }[];
  /**
   * Sends a signal to the process of that name; false when it is between two lives. It is started again as in the
   * product.
   */
  kill(name: string, signal?: NodeJS.Signals): boolean;
  /** Where the rooms of conversations are. */
  gateway(): GatewayState;
  /** What happened to the children so far. */
  events: readonly ChildEvent[];
  /** Warnings and errors that the children logged so far. */
  complaints: readonly { name: string; level: string; text: string }[];
  /** Drains and ends everything; removes the temporary directory. */
  stop(): Promise<void>;
}

const speakingModels = ["espeak", "parley-en"];

/** All that comes with the product. */
export const allModels = [...speakingModels, "parley-asr-en", "parley-vad"];

/**
 * The first of the free ports that a cluster with one process of each role listens on for scrapers: for
 * `PARLEY_METRICS_PORT`.
 */
export const findMetricsPorts = (): Promise<number> =>
  findFreePorts(plannedRoles(loadConfig({ PARLEY_WORKERS: "1" })).length);

/**
 * Settings of a LiveKit server that is not there: runtimes of conversations start with them, and nobody here asks the
 * server for anything.
 */
export const liveKitElsewhere = {
  LIVEKIT_URL: "ws://127.0.0.1:9",
  LIVEKIT_API_KEY: "key",
  LIVEKIT_API_SECRET: "secret-secret-secret-secret-secret",
};

export const TEST_API_KEY = "pk_test_0123456789abcdef0123456789abcdef";

/**
 * Starts a cluster; resolves when every role is ready. Call `stop()` in `afterAll`: should the test process die before,
 * the children notice and end by themselves. Rejects, with everything ended, when a role does not start.
 */
export async function startCluster(options: TestClusterOptions = {}): Promise<TestCluster> {
  if (options.dataDirectory !== undefined) return startIn(options.dataDirectory, options);
  const temporary = temporaryDirectory("cluster");
  try {
    if (options.settings?.["DATABASE_URL"] === undefined) await prepareDatabase(temporary.path);
    const cluster = await startIn(temporary.path, options);
    return { ...cluster, stop: () => cluster.stop().finally(temporary.remove) };
  } catch (error) {
    temporary.remove();
    throw error;
  }
}

async function startIn(dataDirectory: string, options: TestClusterOptions): Promise<TestCluster> {
  const settings: Record<string, string> = {
    PORT: "0",
    PARLEY_DRAIN_MS: "3000",
    PARLEY_SCHEDULERS: String(options.schedulers ?? 1),
    PARLEY_WORKERS: String(options.workers ?? 1),
    PARLEY_WORKER_MODELS: (options.models ?? speakingModels).join(","),
    PARLEY_LIVEKIT: "off",
    PARLEY_AGENTS: String(options.agents ?? 0),
    // On a busy machine the engine takes longer than a listener would wait.
    PARLEY_LIVE_WAIT_MS: "600000",
    ...options.settings,
  };
  const events: ChildEvent[] = [];
  const complaints: { name: string; level: string; text: string }[] = [];
  const cluster = await launchCluster({
    config: loadConfig(settings),
    environment: { ...inheritedEnvironment(), ...options.environment, ...settings },
    distDirectory: options.distDirectory ?? join(import.meta.dirname, "../.."),
    dataDirectory,
    apiKey: TEST_API_KEY,
    clock: systemClock,
    restartPolicy: defaultRestartPolicy,
    onEvent: (event) => events.push(event),
    onTerminalLine: (name, line) => complaints.push({ name, ...line }),
  });
  const readyMs = options.readyMs ?? 60_000;
  const deadline = new Promise<never>((_, reject) => {
    setTimeout(
      () =>
        reject(new Error(`the cluster was not ready within ${readyMs} ms: ${JSON.stringify({ events, complaints })}`)),
      readyMs,
    ).unref();
  });
  try {
    await Promise.race([cluster.ready, deadline]);
  } catch (error) {
    await cluster.kill();
    throw error;
  }
  return {
    baseUrl: cluster.baseUrl,
    apiKey: TEST_API_KEY,
    natsUrl: cluster.natsUrl,
    redisUrl: cluster.redisUrl,
    dataDirectory,
    processes: () => cluster.children().map((child) => ({ name: child.name, pid: child.pid(), lives: child.lives() })),
    kill(name, signal = "SIGKILL") {
      const child = cluster.children().find((candidate) => candidate.name === name);
      if (child === undefined) throw new Error(`no process is named ${name}`);
      return child.signal(signal);
    },
    gateway: () => cluster.gateway(),
    events,
    complaints,
    stop: () => cluster.stop(),
  };
}

/** What every program needs of the environment, without the test runner's own variables. */
function inheritedEnvironment(): Record<string, string | undefined> {
  const { PATH, HOME, LANG, TMPDIR } = process.env;
  return { PATH, HOME, LANG, TMPDIR };
}
