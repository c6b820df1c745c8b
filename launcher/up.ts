import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { systemClock } from "#common/clock";
import { type Config, loadConfig } from "#common/config/config";
import { DataDirectoryError } from "#common/data-directory/data-directory";
import { diskProblem } from "#common/files/disk-error";
import { PRIVATE_FOLDER } from "#common/files/durable-file";
import { banner, describeGateway } from "./banner.js";
import { type Cluster, launchCluster } from "./cluster.js";
import { lockDataDirectory } from "./data-lock.js";
import { developmentKey } from "./development-key.js";
import { LaunchError } from "./launch-error.js";
import { requireFreePort } from "./port-check.js";
import { defaultRestartPolicy } from "./restart-policy.js";
import { removeRunFile, writeRunFile } from "./run-file.js";
import { requireSources, watchSources } from "./source-watch.js";
import { makeSignInUrl } from "./sign-in-url.js";
import { requireStartRoom } from "./start-room.js";
import { describeEnd } from "./startup-watch.js";
import type { ChildEvent } from "./supervised.js";

export interface UpOptions {
  environment: Record<string, string | undefined>;
  /** Where the compiled rooms lie. */
  distDirectory: string;
  /** Whether to compile when a source changes, and to restart the roles that changed. */
  watch: boolean;
  /** Whether a new database gets no sample agent. */
  omitsSample: boolean;
  /** When the command began, on `performance.now()`'s clock. */
  startedAtMs: number;
  /** Takes one line for the person at the terminal. */
  say: (line: string) => void;
}

/**
 * Starts the whole of Parley, prints the banner, and serves until a signal comes; resolves with the exit code when all
 * is gone. Throws LaunchError or ConfigError, with nothing left running, when it cannot start.
 */
export async function up(options: UpOptions): Promise<number> {
  const { say } = options;
  const config = loadConfig(options.environment);
  const dataDirectory = resolve(config.PARLEY_DATA_DIR);
  // What this process writes is its owner's alone, and so is what its children write.
  process.umask(0o077);
  makeDataDirectory(dataDirectory);
  if (options.watch) requireSources(join(options.distDirectory, ".."));
  await requireFreePort(config.HOST, config.PORT);
  const unlock = lockDataDirectory(dataDirectory);
  try {
    requireStartRoom(dataDirectory, config);
    const apiKey = developmentKey(config.PARLEY_API_KEY, dataDirectory);
    let stopping = false;
    let watching: { close(): void } | null = null;
    let hasBanner = false;
    let sample: string | null = null;
    const cluster = await launchCluster({
      config,
      environment: withSample(options, config),
      distDirectory: options.distDirectory,
      dataDirectory,
      apiKey,
      clock: systemClock,
      restartPolicy: defaultRestartPolicy,
      onEvent: (event) => {
        if (event.type === "ready" && typeof event.facts["sample"] === "string") sample = event.facts["sample"];
        const line = stopping ? null : describeForTerminal(event, watching !== null);
        if (line !== null) say(line);
      },
      onTerminalLine: (name, line) => say(`${name}: ${line.level === "error" ? "error: " : ""}${line.text}`),
      onGateway: (state) => {
        if (hasBanner && !stopping && state.type !== "starting") say(`Conversations: ${describeGateway(state)}`);
      },
    });
    const ending = endOnSignal(cluster, config.PARLEY_DRAIN_MS, say, () => {
      stopping = true;
      watching?.close();
    });
    // Written before anyone is ready: a person who looks for what hangs finds it too.
    writeRunFile(dataDirectory, {
      pid: process.pid,
      baseUrl: cluster.baseUrl,
      natsUrl: cluster.natsUrl,
      redisUrl: cluster.redisUrl,
      liveKit: cluster.liveKit,
    });
    try {
      await Promise.race([cluster.ready, ending]);
    } catch (error) {
      stopping = true;
      await cluster.kill();
      throw error;
    }
    if (!stopping) {
      const readyMs = performance.now() - options.startedAtMs;
      const processes = cluster.children().length;
      const gateway = cluster.gateway();
      const { baseUrl } = cluster;
      const signInUrl = config.PARLEY_CONSOLE === "on" ? await makeSignInUrl(baseUrl, apiKey) : null;
      say(banner({ baseUrl, apiKey, readyMs, dataDirectory, processes, gateway, sample, signInUrl }));
      hasBanner = true;
      if (options.watch) watching = restartOnChange(cluster, options);
    }
    return await ending;
  } catch (error) {
    throw inWords(error, dataDirectory);
  } finally {
    removeRunFile(dataDirectory);
    unlock();
  }
}

/** What roles find in their environment: a control plane that this command starts makes the sample agent. */
function withSample({ environment, omitsSample }: UpOptions, config: Config): UpOptions["environment"] {
  const wanted = config.PARLEY_SAMPLE === "auto" ? "on" : config.PARLEY_SAMPLE;
  return { ...environment, PARLEY_SAMPLE: omitsSample ? "off" : wanted, PARLEY_SAMPLE_FILE: undefined };
}

function makeDataDirectory(dataDirectory: string): void {
  try {
    mkdirSync(dataDirectory, { recursive: true, mode: PRIVATE_FOLDER });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new LaunchError(
      `Cannot make the data directory ${dataDirectory} (${reason}); set PARLEY_DATA_DIR to a folder that this user may write`,
      { cause },
    );
  }
}

/** What the person at the terminal can change, as a LaunchError; anything else as it is. */
function inWords(error: unknown, dataDirectory: string): unknown {
  if (error instanceof DataDirectoryError) return new LaunchError(error.message, { cause: error });
  const problem = diskProblem(error, dataDirectory);
  return problem === null ? error : new LaunchError(`Cannot write to ${dataDirectory}: ${problem}`, { cause: error });
}

/** Drains at the first SIGINT, SIGTERM or SIGHUP, kills at the second; resolves with the exit code. */
function endOnSignal(
  cluster: Cluster,
  drainMs: number,
  say: (line: string) => void,
  onStopping: () => void,
): Promise<number> {
  return new Promise((resolve, reject) => {
    let signals = 0;
    const onSignal = (): void => {
      signals += 1;
      onStopping();
      if (signals === 1) {
        say(`\nStopping: running streams may finish (up to ${Math.ceil(drainMs / 1000)} s). Again to stop at once.`);
        cluster.stop().then(() => resolve(signals === 1 ? 0 : 130), reject);
      } else if (signals === 2) {
        say("Stopping at once.");
        cluster.kill().then(() => resolve(130), reject);
      }
    };
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, onSignal);
  });
}

/** Compiles and restarts what changes, and says so; a source that does not compile leaves everything as it is. */
function restartOnChange(cluster: Cluster, { distDirectory, say }: UpOptions): { close(): void } {
  const watching = watchSources({
    projectDirectory: join(distDirectory, ".."),
    onCompileError: (messages) => say(`${messages}\nIt does not compile; what runs goes on as it was.`),
    onChange: async (roles) => {
      say(`Compiled; restarting ${roles.join(", ")}`);
      await cluster.restart(roles);
    },
  });
  say(
    "  Watching the sources of the roles and of the pages. A change of launcher/ or cli/ takes effect at the next start.\n",
  );
  return watching;
}

/** Tells of a crash, and while sources are watched of a new life; the first is the banner's business. */
function describeForTerminal(event: ChildEvent, isWatching: boolean): string | null {
  if (event.type === "ready") return isWatching ? `${event.name} is ready` : null;
  const when = event.restartInMs === 0 ? "now" : `in ${(event.restartInMs / 1000).toFixed(1)} s`;
  return `${event.name} ${describeEnd(event)}; it starts again ${when}`;
}
