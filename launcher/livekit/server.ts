import { createSocket } from "node:dgram";
import { join } from "node:path";
import { writeFileDurably } from "#common/files/durable-file";
import { openLiveKitServer } from "#common/livekit/livekit-server";
import { type GuardedProcess, spawnGuarded } from "../guarded-process.js";
import { LaunchError } from "../launch-error.js";
import { becomesReady, findFreePort } from "../servers.js";
import { type LiveKitKey, type LiveKitPorts, liveKitConfiguration } from "./files.js";

export interface LiveKitServerOptions {
  /** Absolute path of the program. */
  program: string;
  /** Folder for its configuration. */
  directory: string;
  logFile: string;
  ports: LiveKitPorts;
  key: LiveKitKey;
  /** Redis server that gives it SIP services; none when absent. */
  redisUrl?: string;
  /** It tells there what happens in its rooms; nowhere when absent. */
  webhookUrl?: string;
}

/** How long it may take to answer; it does within a second where the machine has time. */
const READY_MS = 20_000;

/** Between the first SIGTERM, at which it waits for everybody to leave, and the second, at which it does not. */
const SECOND_TERM_MS = 100;

/** Ports of loopback that nobody has at this moment. */
export async function findLiveKitPorts(): Promise<LiveKitPorts> {
  const [port, tcpPort, udpPort] = await Promise.all([findFreePort(), findFreePort(), findFreeUdpPort()]);
  return { port, tcpPort, udpPort };
}

export const liveKitUrl = (ports: LiveKitPorts): string => `ws://127.0.0.1:${ports.port}`;

/** Starts a LiveKit server; resolves when it answers to its key. Throws LaunchError when it does not come up. */
export async function startLiveKit(options: LiveKitServerOptions): Promise<GuardedProcess> {
  const { program, directory, logFile, ports, key } = options;
  const file = join(directory, "livekit.yaml");
  writeFileDurably(file, liveKitConfiguration(ports, key, options));
  // Without the environment: it would read keys, a configuration and a Redis server from there.
  const server = await spawnGuarded({
    command: "env",
    args: ["-i", program, "--config", file],
    logFile,
    cwd: directory,
  });
  const service = openLiveKitServer({ url: liveKitUrl(ports), ...key });
  // A stranger's server on the port does not know the key.
  const answers = (): Promise<boolean> =>
    service.listParticipants("none").then(
      () => true,
      () => false,
    );
  if (await becomesReady(server, answers, READY_MS)) return impatient(server);
  const end = server.hasEnded() ? await server.ended : null;
  await server.stop(0);
  const what =
    end === null ? `did not answer within ${READY_MS / 1000} s` : `ended with ${end.signal ?? `code ${end.code}`}`;
  throw new LaunchError(`livekit-server ${what} on port ${ports.port}; see ${logFile}`);
}

/** Ends at SIGTERM, also with somebody in a room. */
function impatient(server: GuardedProcess): GuardedProcess {
  return {
    ...server,
    signal(name) {
      server.signal(name);
      if (name === "SIGTERM") setTimeout(() => server.signal("SIGTERM"), SECOND_TERM_MS).unref();
    },
  };
}

function findFreeUdpPort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createSocket("udp4");
    probe.on("error", reject);
    probe.bind(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}
