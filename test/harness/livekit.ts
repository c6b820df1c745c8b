import { readFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "#common/clock";
import type { LiveKitAccess } from "#common/livekit/livekit-server";
import { newIdentifier } from "#common/identifier";
import type { GuardedProcess } from "#launcher/guarded-process";
import { buildLiveKit, canBuildLiveKit, findLiveKit } from "#launcher/livekit/build";
import type { LiveKitPorts } from "#launcher/livekit/files";
import { findLiveKitPorts, liveKitUrl, startLiveKit as launchLiveKit } from "#launcher/livekit/server";
import { temporaryDirectory } from "./temporary-directory.js";

/** A LiveKit server of a test's own. */
export interface TestLiveKit extends LiveKitAccess {
  ports: LiveKitPorts;
  pid(): number;
  /** Ends it at once, as a crash does; `restart` brings it back on its ports. */
  kill(): Promise<void>;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** For `beforeAll` of a file that starts one: a machine that has none builds it first, some minutes. */
export const LIVEKIT_BUILD_MS = 20 * 60_000;

export const inCi = ![undefined, "", "0", "false"].includes(process.env.CI);

/**
 * Whether this machine can run a LiveKit server. CI must: there a file that cannot start one fails, and is not left
 * out.
 */
export const canRunLiveKit = inCi || findLiveKit(process.env) !== null || canBuildLiveKit(process.env);

/**
 * Starts a server on free loopback ports; with a Redis server it has SIP services. It dies with the test process,
 * whatever happens.
 */
export async function startLiveKit(options: { redisUrl?: string; webhookUrl?: string } = {}): Promise<TestLiveKit> {
  const directory = temporaryDirectory("livekit");
  try {
    const program = await findOrBuildLiveKit();
    const key = { apiKey: "test", apiSecret: newIdentifier() };
    const logFile = join(directory.path, "server.log");
    const launch = (ports: LiveKitPorts): Promise<GuardedProcess> =>
      launchLiveKit({ program, directory: directory.path, logFile, ports, key, ...options });
    const first = await onFreePorts(launch, logFile);
    const { ports } = first;
    let { server } = first;
    return {
      url: liveKitUrl(ports),
      ...key,
      ports,
      pid: () => server.pid,
      kill: () => server.stop(0),
      async restart() {
        server = await launch(ports);
      },
      stop: () => server.stop(0).finally(directory.remove),
    };
  } catch (error) {
    directory.remove();
    throw error;
  }
}

/**
 * Ports that were free a moment ago may be another test's now: other ones are tried then. Says what the servers wrote
 * when none came up, since their folder goes.
 */
async function onFreePorts(
  launch: (ports: LiveKitPorts) => Promise<GuardedProcess>,
  logFile: string,
): Promise<{ server: GuardedProcess; ports: LiveKitPorts }> {
  for (let attempt = 1; ; attempt++) {
    const ports = await findLiveKitPorts();
    try {
      return { server: await launch(ports), ports };
    } catch (error) {
      if (attempt === 3) throw new Error(readFileSync(logFile, "utf8"), { cause: error });
    }
  }
}

/** The program: what is there, or what is built now. */
export async function findOrBuildLiveKit(): Promise<string> {
  const environment = process.env;
  const program = findLiveKit(environment);
  if (program !== null) return program;
  const directory = temporaryDirectory("livekit-build");
  const logFile = join(directory.path, "build.log");
  return buildLiveKit({ environment, clock: systemClock, logFile, isIdle: false }).done.finally(directory.remove);
}
