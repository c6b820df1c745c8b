import { join } from "node:path";
import type { Clock } from "#common/clock";
import type { Config } from "#common/config/config";
import { type ClaimedFolder, claimFolder, type DataDirectory, makeFolder } from "#common/data-directory/data-directory";
import { writeStamp } from "#common/data-directory/stamp";
import { newIdentifier } from "#common/identifier";
import { sizeFileStore } from "./file-store.js";
import { watchJetStream } from "./jetstream-watch.js";
import { type OwnLiveKit, type OwnLiveKitOptions, ownsLiveKit, startOwnLiveKit } from "./livekit/own-livekit.js";
import type { TerminalLine } from "./log-collector.js";
import { type ExternalServer, findFreePort, type ServerOptions, serverUrl, startNats, startRedis } from "./servers.js";
import type { Supervised, SuperviseOptions } from "./supervised.js";

/** A server of the cluster: one of our own, or, without `child`, one that was there. */
export interface ClusterServer {
  url: string;
  child: Supervised | null;
  /** Ends what looks after it; called before it is stopped. */
  unwatch(): Promise<void>;
}

export interface OwnServersOptions {
  config: Pick<Config, "NATS_URL" | "REDIS_URL" | "DATABASE_URL">;
  directory: DataDirectory;
  logDirectory: string;
  clock: Clock;
  keepAlive: (name: string, launch: SuperviseOptions["launch"]) => Supervised;
  onTerminalLine: (name: string, line: TerminalLine) => void;
  /** LiveKit's, which nothing else waits for. */
  liveKit: Omit<OwnLiveKitOptions, "folder">;
}

/**
 * Starts NATS, Redis and LiveKit where no URL is configured. Every folder that something of this cluster opens is
 * looked at first: where one may not be used, DataDirectoryError is thrown and nothing was started.
 */
export async function startOwnServers(
  options: OwnServersOptions,
): Promise<{ nats: ClusterServer; redis: ClusterServer; liveKit: OwnLiveKit }> {
  const { config, directory } = options;
  if (config.DATABASE_URL === null) claimFolder(directory, "database");
  const natsFolder = config.NATS_URL === null ? makeFolder(directory, "nats") : null;
  const redisFolder = config.REDIS_URL === null ? makeFolder(directory, "redis") : null;
  const liveKitFolder = ownsLiveKit(options.liveKit.config) ? makeFolder(directory, "livekit").path : "";
  return {
    liveKit: await startOwnLiveKit({ ...options.liveKit, folder: liveKitFolder }),
    nats: natsFolder === null ? elsewhere(config.NATS_URL) : await startOwnNats(options, natsFolder),
    redis:
      redisFolder === null
        ? elsewhere(config.REDIS_URL)
        : await startOwn("redis", startRedis, options, { directory: redisFolder.path }),
  };
}

function elsewhere(url: string | null): ClusterServer {
  return { url: url ?? "", child: null, unwatch: async () => undefined };
}

async function startOwnNats(options: OwnServersOptions, { path, stamp }: ClaimedFolder): Promise<ClusterServer> {
  const fileStoreBytes = sizeFileStore(path, stamp.fileStoreBytes ?? null);
  if (fileStoreBytes !== stamp.fileStoreBytes) writeStamp(path, { ...stamp, fileStoreBytes });
  // One name for all its lives: a configuration that stays the same needs no room on the disk.
  const name = `parley-${newIdentifier().slice(0, 12)}`;
  const server = await startOwn("nats", startNats, options, { directory: path, name, fileStoreBytes });
  const { child } = server;
  let watch: { stop: () => Promise<void> } | null = null;
  let isOver = false;
  void child.firstReady.then(() => {
    if (isOver) return;
    const onEnded = (): void => {
      options.onTerminalLine("nats", {
        level: "warn",
        text: "JetStream gave up storing, as on a full disk; now that there is room, the server starts anew",
      });
      endLife(child, options.clock);
    };
    watch = watchJetStream({ url: server.url, folder: path, onEnded });
  });
  return {
    ...server,
    async unwatch() {
      isOver = true;
      await watch?.stop();
    },
  };
}

/** A server that is stuck in its own store does not end when it is asked to. */
const END_MS = 3000;

function endLife(child: Supervised, clock: Clock): void {
  const pid = child.pid();
  child.signal("SIGTERM");
  clock.after(END_MS, () => {
    if (child.pid() === pid) child.signal("SIGKILL");
  });
}

async function startOwn(
  name: "nats" | "redis",
  start: (options: ServerOptions) => Promise<ExternalServer>,
  options: OwnServersOptions,
  settings: Pick<ServerOptions, "directory" | "name" | "fileStoreBytes">,
): Promise<ClusterServer & { child: Supervised }> {
  const port = await findFreePort();
  const password = newIdentifier();
  const server: ServerOptions = { ...settings, logFile: join(options.logDirectory, `${name}.log`), port, password };
  const child = options.keepAlive(name, async () => ({ ...(await start(server)), ready: Promise.resolve({ port }) }));
  return { url: serverUrl(name, port, password), child, unwatch: async () => undefined };
}
