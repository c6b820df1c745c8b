import { existsSync, mkdirSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Clock } from "#common/clock";
import { moveDurably, PRIVATE_FOLDER } from "#common/files/durable-file";
import { LockedError, takeLock } from "#common/files/file-lock";
import { newIdentifier } from "#common/identifier";
import { findProgram } from "../find-program.js";
import { type GuardedProcess, spawnGuarded } from "../guarded-process.js";
import { LaunchError } from "../launch-error.js";

/** The newest release that Go installs by its module's name: later ones replace modules with what no proxy serves. */
export const LIVEKIT_VERSION = "1.13.5";

const LIVEKIT_MODULE = "github.com/livekit/livekit-server/cmd/server";

/** What `go install` calls the program. */
const BUILT_NAME = "server";

/** While another launcher builds the same one. */
const LOOK_AGAIN_MS = 2000;

/** Where a server that was built is kept for all data directories of this user. */
export function liveKitCache(environment: Record<string, string | undefined>): string {
  const { XDG_CACHE_HOME, HOME } = environment;
  const cache = XDG_CACHE_HOME || join(HOME || homedir(), ".cache");
  return join(cache, "parley", "livekit-server", LIVEKIT_VERSION);
}

/** The program that a machine has: on the PATH, or built before; null where there is none. */
export function findLiveKit(environment: Record<string, string | undefined>): string | null {
  const built = join(liveKitCache(environment), "livekit-server");
  return findProgram("livekit-server", environment.PATH) ?? (existsSync(built) ? built : null);
}

export interface LiveKitBuildOptions {
  environment: Record<string, string | undefined>;
  logFile: string;
  clock: Clock;
  /** Whether it only takes what others leave of the processor. */
  isIdle: boolean;
}

/** A server that is being built. */
export interface LiveKitBuild {
  /** Resolves with the program's path; rejects with LaunchError. Stays pending when it is stopped. */
  done: Promise<string>;
  /** Gives it up. What the compiler has made is kept in its own cache, so that the next build takes less. */
  stop(): Promise<void>;
}

/**
 * Builds LiveKit's server from its Go module into the user's cache, where it appears whole or not at all. Of several
 * launchers one builds, and the others wait for it.
 */
export function buildLiveKit(options: LiveKitBuildOptions): LiveKitBuild {
  const build = new Build(options);
  return { done: build.run(), stop: () => build.stop() };
}

class Build {
  readonly #options: LiveKitBuildOptions;
  readonly #folder: string;
  #compiler: GuardedProcess | null = null;
  #isStopped = false;
  #isOver: Promise<unknown> = Promise.resolve();

  constructor(options: LiveKitBuildOptions) {
    this.#options = options;
    this.#folder = liveKitCache(options.environment);
  }

  run(): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#isOver = this.#build().then((program) => {
        if (program !== null) resolve(program);
      }, reject);
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#end();
    await this.#isOver;
  }

  /** Null when it was stopped. */
  async #build(): Promise<string | null> {
    mkdirSync(this.#folder, { recursive: true, mode: PRIVATE_FOLDER });
    const program = join(this.#folder, "livekit-server");
    const release = await this.#takeTurn(program);
    if (release === null) return existsSync(program) && !this.#isStopped ? program : null;
    const draft = join(this.#folder, `.build-${newIdentifier().slice(0, 12)}`);
    try {
      if (existsSync(program)) return program;
      mkdirSync(draft, { mode: PRIVATE_FOLDER });
      await this.#compile(draft);
      if (this.#isStopped) return null;
      moveDurably(join(draft, BUILT_NAME), program);
      return program;
    } finally {
      rmSync(draft, { recursive: true, force: true });
      release();
    }
  }

  /** Gives what ends the turn; null where the program is there, or nobody wants it any more. */
  async #takeTurn(program: string): Promise<(() => void) | null> {
    while (!this.#isStopped && !existsSync(program)) {
      try {
        return takeLock(join(this.#folder, "build.lock"));
      } catch (error) {
        if (!(error instanceof LockedError)) throw error;
        await new Promise<void>((resolve) => this.#options.clock.after(LOOK_AGAIN_MS, resolve));
      }
    }
    return null;
  }

  async #compile(draft: string): Promise<void> {
    const { environment, logFile, isIdle } = this.#options;
    const go = findProgram("go", environment.PATH);
    if (go === null) throw new LaunchError("Go is not installed");
    const install = [go, "install", "-ldflags", "-s -w", `${LIVEKIT_MODULE}@v${LIVEKIT_VERSION}`];
    const prefix = isIdle ? idlePrefix(environment) : [];
    const [command = go, ...args] = ["env", `GOBIN=${draft}`, ...prefix, ...install];
    this.#compiler = await spawnGuarded({ command, args, logFile, cwd: draft });
    if (this.#isStopped) this.#end();
    const { code } = await this.#compiler.ended;
    this.#compiler = null;
    if (code !== 0 && !this.#isStopped) throw new LaunchError(`it could not be built; see ${logFile}`);
  }

  /** The compiler starts others: all of its process group, which is its own. */
  #end(): void {
    const compiler = this.#compiler;
    if (compiler === null || compiler.hasEnded()) return;
    try {
      process.kill(-compiler.pid, "SIGTERM");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}

/** Whether a machine can build the server. */
export const canBuildLiveKit = (environment: Record<string, string | undefined>): boolean =>
  findProgram("go", environment.PATH) !== null;

/**
 * Runs what follows with what others leave of the processor. Its session is one of its own, and Linux shares the
 * processor among sessions first: without the first line its niceness would count within the session alone (sched(7),
 * "The autogroup feature").
 */
function idlePrefix(environment: Record<string, string | undefined>): string[] {
  const script = '{ echo 19 > /proc/self/autogroup; } 2>/dev/null; exec "$@"';
  const schedulers = [
    ["chrt", "--idle", "0"],
    ["nice", "-n", "19"],
  ].filter(([name = ""]) => findProgram(name, environment.PATH) !== null);
  return ["sh", "-c", script, "sh", ...schedulers.flat()];
}
