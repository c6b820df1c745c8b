import { join } from "node:path";
import type { Clock } from "#common/clock";
import type { Config } from "#common/config/config";
import type { RestartPolicy } from "../restart-policy.js";
import { type ChildEvent, type Supervised, supervise } from "../supervised.js";
import { buildLiveKit, canBuildLiveKit, findLiveKit, type LiveKitBuild, LIVEKIT_VERSION } from "./build.js";
import { keyIn } from "./files.js";
import { findLiveKitPorts, liveKitUrl, startLiveKit } from "./server.js";

/** Where the rooms of conversations are held. */
export type GatewayState =
  | { type: "off" }
  | { type: "elsewhere"; url: string }
  | { type: "starting" }
  | { type: "building" }
  | { type: "running"; url: string }
  | { type: "missing"; reason: string };

/** The LiveKit server of this machine's cluster. */
export interface OwnLiveKit {
  /** What the roles find in their environment, before the server is there; empty where it is somebody else's. */
  environment: Record<string, string>;
  /** Where it takes media over TCP, from callers whose network lets no UDP through; null where it is somebody else's. */
  tcpPort: number | null;
  state(): GatewayState;
  /** Null before it was started the first time. */
  child(): Supervised | null;
  /** Builds it where it has to be: for a moment when everything else is up. */
  buildIfMissing(): void;
  /** Ends the server, or what builds it. */
  stop(graceMs: number): Promise<void>;
}

export interface OwnLiveKitOptions {
  config: Pick<Config, "LIVEKIT_URL" | "LIVEKIT_PUBLIC_URL" | "PARLEY_LIVEKIT">;
  environment: Record<string, string | undefined>;
  /** For its key and configuration; not used where the server is somebody else's. */
  folder: string;
  logDirectory: string;
  clock: Clock;
  restartPolicy: RestartPolicy;
  onEvent: (event: ChildEvent) => void;
  onState: (state: GatewayState) => void;
}

/** Whether the launcher runs a server of its own. */
export function ownsLiveKit(config: Pick<Config, "LIVEKIT_URL" | "PARLEY_LIVEKIT">): boolean {
  return config.LIVEKIT_URL === null && config.PARLEY_LIVEKIT !== "off";
}

/**
 * Starts a LiveKit server where none is configured. Nothing of the cluster waits for it: what goes wrong with it later
 * is its state.
 */
export async function startOwnLiveKit(options: OwnLiveKitOptions): Promise<OwnLiveKit> {
  const { config, folder } = options;
  if (config.LIVEKIT_URL !== null) return noneOfOurs({ type: "elsewhere", url: config.LIVEKIT_URL });
  if (!ownsLiveKit(config)) return noneOfOurs({ type: "off" });
  const key = keyIn(folder);
  const ports = await findLiveKitPorts();
  const url = liveKitUrl(ports);
  const life = (program: string) => ({
    program,
    directory: folder,
    logFile: join(options.logDirectory, "livekit.log"),
    ports,
    key,
  });
  const run = (program: string, onEvent: (event: ChildEvent) => void): Supervised =>
    supervise({
      name: "livekit",
      launch: async () => ({ ...(await startLiveKit(life(program))), ready: Promise.resolve({ port: ports.port }) }),
      clock: options.clock,
      policy: options.restartPolicy,
      onEvent,
    });
  const environment = {
    LIVEKIT_URL: url,
    LIVEKIT_API_KEY: key.apiKey,
    LIVEKIT_API_SECRET: key.apiSecret,
    LIVEKIT_PUBLIC_URL: config.LIVEKIT_PUBLIC_URL ?? url,
  };
  return new Running(options, { url, environment, tcpPort: ports.tcpPort, run });
}

function noneOfOurs(state: GatewayState): OwnLiveKit {
  return {
    environment: {},
    tcpPort: null,
    state: () => state,
    child: () => null,
    buildIfMissing: () => undefined,
    stop: async () => undefined,
  };
}

interface ServerFacts extends Pick<OwnLiveKit, "environment" | "tcpPort"> {
  url: string;
  run: (program: string, onEvent: (event: ChildEvent) => void) => Supervised;
}

class Running implements OwnLiveKit {
  readonly environment: Record<string, string>;
  readonly tcpPort: number | null;
  readonly #options: OwnLiveKitOptions;
  readonly #facts: ServerFacts;
  #state: GatewayState = { type: "starting" };
  #child: Supervised | null = null;
  #build: LiveKitBuild | null = null;
  #isStopped = false;

  constructor(options: OwnLiveKitOptions, facts: ServerFacts) {
    this.#options = options;
    this.#facts = facts;
    this.environment = facts.environment;
    this.tcpPort = facts.tcpPort;
    const program = findLiveKit(options.environment);
    if (program !== null) this.#start(program);
    else if (canBuildLiveKit(options.environment)) this.#state = { type: "building" };
    else this.#state = { type: "missing", reason: howToGetLiveKit };
  }

  state(): GatewayState {
    return this.#state;
  }

  child(): Supervised | null {
    return this.#child;
  }

  buildIfMissing(): void {
    if (this.#state.type !== "building" || this.#build !== null || this.#isStopped) return;
    const { environment, clock, logDirectory } = this.#options;
    const logFile = join(logDirectory, "livekit-build.log");
    this.#build = buildLiveKit({ environment, clock, logFile, isIdle: true });
    this.#build.done.then(
      (program) => {
        if (!this.#isStopped) this.#start(program);
      },
      (error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error);
        this.#become({ type: "missing", reason: `LiveKit ${LIVEKIT_VERSION}: ${reason}` });
      },
    );
  }

  async stop(graceMs: number): Promise<void> {
    this.#isStopped = true;
    await this.#build?.stop();
    await this.#child?.stop(graceMs);
  }

  #start(program: string): void {
    this.#child = this.#facts.run(program, (event) => {
      this.#options.onEvent(event);
      if (event.type === "ready") this.#become({ type: "running", url: this.#facts.url });
      else this.#become({ type: "starting" });
    });
  }

  #become(state: GatewayState): void {
    if (this.#isStopped) return;
    this.#state = state;
    this.#options.onState(state);
  }
}

const howToGetLiveKit =
  "install Go (https://go.dev/dl) and start again, put livekit-server on the PATH, or set LIVEKIT_URL";
