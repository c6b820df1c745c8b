import { randomBytes, randomInt } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { PRIVATE_FOLDER, writeFileDurably } from "#common/files/durable-file";
import { type GuardedProcess, spawnGuarded } from "./guarded-process.js";
import { LaunchError } from "./launch-error.js";

/** A NATS or Redis server that this process started. */
export interface ExternalServer extends GuardedProcess {
  /** `nats://…` or `redis://…`, on loopback. */
  url: string;
  port: number;
}

export interface ServerOptions {
  /** Folder for the server's files, created when missing: configuration, JetStream's store, working directory. */
  directory: string;
  logFile: string;
  /** A free port when absent. */
  port?: number;
  /**
   * What clients must know to use it, in `url`: whoever reaches the bus may make keys. Open to every user of this
   * machine when absent.
   */
  password?: string;
  /** What a NATS server calls itself, by which it is known from a stranger's on the port; drawn when absent. */
  name?: string;
  /** Bytes that JetStream may take on the disk; three quarters of what is free when absent. */
  fileStoreBytes?: number;
  /** How long the server may take to answer, milliseconds; 10 s when absent. */
  readyMs?: number;
}

/** Largest message of the bus, bytes: one upload of the object store and every audio frame fit many times. */
export const NATS_MAX_PAYLOAD_BYTES = 8 * 1024 * 1024;

/**
 * Starts nats-server with JetStream on a loopback port; resolves when it answers.
 * Throws LaunchError when the program is missing or does not come up.
 */
export async function startNats(options: ServerOptions): Promise<ExternalServer> {
  mkdirSync(options.directory, { recursive: true, mode: PRIVATE_FOLDER });
  const name = options.name ?? `parley-${randomBytes(6).toString("hex")}`;
  const file = join(options.directory, "nats.conf");
  return startServer("nats-server", options, {
    scheme: "nats",
    args: (port) => {
      writePrivately(
        file,
        natsConfiguration({ ...options, name, port, storeDirectory: join(options.directory, "jetstream") }),
      );
      return ["-c", file];
    },
    // The server speaks first: INFO {"server_name":…}. The name tells ours from a stranger's that holds the port.
    isReady: async (port) =>
      (await converse(port, "", (received) => received.includes("\n"))).includes(`"server_name":"${name}"`),
  });
}

/**
 * Starts redis-server on a loopback port with nothing kept on disk; resolves when it answers. Throws LaunchError as
 * `startNats` does.
 */
export async function startRedis(options: ServerOptions): Promise<ExternalServer> {
  mkdirSync(options.directory, { recursive: true, mode: PRIVATE_FOLDER });
  const file = join(options.directory, "redis.conf");
  const question = `${options.password === undefined ? "" : `AUTH ${options.password}\r\n`}INFO server\r\n`;
  return startServer("redis-server", options, {
    scheme: "redis",
    args: (port) => {
      const login = options.password === undefined ? [] : [`requirepass ${options.password}`];
      writePrivately(file, [`port ${port}`, "bind 127.0.0.1", 'save ""', "appendonly no", ...login, ""].join("\n"));
      return [file, "--dir", options.directory];
    },
    isReady: async (port, pid) =>
      (await converse(port, question, (received) => received.includes("uptime_in_days"))).includes(
        `process_id:${pid}\r`,
      ),
  });
}

/**
 * Password and all: not in the arguments, which every user of the machine may read. What is there already needs no room
 * on the disk.
 */
function writePrivately(file: string, content: string): void {
  if (contentOf(file) !== content) writeFileDurably(file, content);
}

function contentOf(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

function natsConfiguration(options: {
  name: string;
  port: number;
  storeDirectory: string;
  password?: string;
  fileStoreBytes?: number;
}): string {
  const store = [
    `store_dir: ${JSON.stringify(options.storeDirectory)}`,
    ...(options.fileStoreBytes === undefined ? [] : [`max_file_store: ${options.fileStoreBytes}`]),
  ];
  return [
    `listen: "127.0.0.1:${options.port}"`,
    `server_name: ${options.name}`,
    `max_payload: ${NATS_MAX_PAYLOAD_BYTES}`,
    `jetstream: { ${store.join(", ")} }`,
    ...(options.password === undefined
      ? []
      : [`authorization: { user: parley, password: ${JSON.stringify(options.password)} }`]),
    "",
  ].join("\n");
}

/** Address of a loopback server. Redis takes a password with any user name that it knows; its own is `default`. */
export function serverUrl(scheme: "nats" | "redis", port: number, password: string | undefined): string {
  const login = password === undefined ? "" : `${scheme === "nats" ? "parley" : "default"}:${password}@`;
  return `${scheme}://${login}127.0.0.1:${port}`;
}

interface ServerKind {
  scheme: "nats" | "redis";
  args: (port: number) => string[];
  isReady: (port: number, pid: number) => Promise<boolean>;
}

async function startServer(command: string, options: ServerOptions, kind: ServerKind): Promise<ExternalServer> {
  // A port that was free a moment ago may be taken now: with a port of our own choice, choose again.
  const attempts = options.port === undefined ? 3 : 1;
  for (let attempt = 1; ; attempt++) {
    const port = options.port ?? (await findFreePort());
    const process = await spawnGuarded({ command, args: kind.args(port), logFile: options.logFile });
    if (await becomesReady(process, () => kind.isReady(port, process.pid), options.readyMs ?? 10_000)) {
      return { ...process, port, url: serverUrl(kind.scheme, port, options.password) };
    }
    const end = process.hasEnded() ? await process.ended : null;
    await process.stop();
    if (end?.code === 127)
      throw new LaunchError(`${command} is not installed; on Debian: apt-get install -y ${command}`);
    if (attempt >= attempts)
      throw new LaunchError(`${command} did not come up on port ${port}; see ${options.logFile}`);
  }
}

/** Whether a process answers within a time; false too when it ends before. */
export async function becomesReady(
  process: GuardedProcess,
  isReady: () => Promise<boolean>,
  withinMs: number,
): Promise<boolean> {
  const untilMs = performance.now() + withinMs;
  while (!process.hasEnded() && performance.now() < untilMs) {
    if (await isReady()) return true;
    await Promise.race([process.ended, new Promise((resolve) => setTimeout(resolve, 20))]);
  }
  return false;
}

/**
 * Says `line` to a loopback port and gives what is heard until `isEnough`, at most a second; empty when nobody listens.
 */
function converse(port: number, line: string, isEnough: (received: string) => boolean): Promise<string> {
  return new Promise((resolve) => {
    let received = "";
    const socket = connect({ port, host: "127.0.0.1" });
    const finish = (): void => {
      socket.destroy();
      resolve(received);
    };
    socket.setTimeout(1000, finish);
    socket.setEncoding("latin1");
    socket.on("connect", () => socket.write(line));
    socket.on("data", (data: string) => {
      received += data;
      if (isEnough(received)) finish();
    });
    socket.on("error", finish);
    socket.on("close", finish);
  });
}

/** Ports that are looked at: above those of well-known services, below those that Kubernetes gives to services of nodes. */
const LOOKED_AT = { lowest: 10_000, beyond: 30_000 };
const LOOKS = 100;

/**
 * A loopback TCP port that nobody listens on at this moment, and that no outgoing connection is given meanwhile: one of
 * the system's own choice may be taken by any connection between here and whoever listens on it.
 */
export async function findFreePort(): Promise<number> {
  const beyond = Math.min(LOOKED_AT.beyond, lowestOutgoingPort());
  for (let look = 0; look < LOOKS && beyond > LOOKED_AT.lowest; look++) {
    const port = randomInt(LOOKED_AT.lowest, beyond);
    if ((await listenOnce(port)) !== null) return port;
  }
  const port = await listenOnce(0);
  if (port === null) throw new LaunchError("no port of 127.0.0.1 is free");
  return port;
}

/** The lowest port that outgoing connections have (Linux, ip(7)); as Linux comes where the system does not say. */
function lowestOutgoingPort(): number {
  try {
    return Number(readFileSync("/proc/sys/net/ipv4/ip_local_port_range", "utf8").split(/\s+/)[0]);
  } catch {
    return 32_768;
  }
}

/** Listens on a loopback port for a moment; gives the port, null where it is taken. Rejects where no port can be had. */
function listenOnce(port: number): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on("error", (error: NodeJS.ErrnoException) => (error.code === "EADDRINUSE" ? resolve(null) : reject(error)));
    probe.listen(port, "127.0.0.1", () => {
      const address = probe.address();
      const listening = typeof address === "object" && address !== null ? address.port : null;
      probe.close(() => resolve(listening));
    });
  });
}
