import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { diskProblem } from "#common/files/disk-error";
import { PRIVATE_FILE } from "#common/files/durable-file";
import { LaunchError } from "./launch-error.js";

/** How a process ended. */
export interface ProcessEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A foreign program that cannot outlive this process. */
export interface GuardedProcess {
  pid: number;
  /** Resolves when the program is gone; never rejects. */
  ended: Promise<ProcessEnd>;
  hasEnded(): boolean;
  signal(signal: NodeJS.Signals): void;
  /** SIGTERM, and SIGKILL after `graceMs`. Resolves when it is gone. */
  stop(graceMs?: number): Promise<void>;
}

/*
 * A shell forks a watcher and then becomes the program, so the program keeps the pid that we know.
 *
 *   this process ──fd 3──► watcher (sh: read)          program (same pid as the shell had)
 *        │                    │ end of file: this process is gone, however it went
 *        └── "done" ──────────┤ ──────────────────────────► SIGTERM, 5 s later SIGKILL
 *             (program ended) └ exit without a signal: the pid may belong to someone else by now
 *
 * Debian keeps nats-server where the PATH of ordinary users does not look. What the program writes is its owner's.
 */
const guardScript = `umask 077; PATH="$PATH:/usr/local/sbin:/usr/sbin"; (
  read -r word <&3 && exit
  kill -TERM $$
  for wait in 1 2 3 4 5 6 7 8 9 10; do sleep 0.5; kill -0 $$ || exit; done
  kill -KILL $$
) 2>/dev/null & exec "$@" 3<&-`;

function openLog(file: string): number | "ignore" {
  try {
    return openSync(file, "a", PRIVATE_FILE);
  } catch (error) {
    if (diskProblem(error) === null) throw error;
    return "ignore";
  }
}

/**
 * Starts `command` with its output appended to `logFile`, in its own process group: Ctrl-C at the terminal does not
 * reach it. Where the log cannot be opened, as on a full disk, it runs without one. Throws LaunchError when the shell
 * cannot be started; a missing command ends at once with code 127.
 */
export async function spawnGuarded(options: {
  command: string;
  args: string[];
  logFile: string;
  cwd?: string;
}): Promise<GuardedProcess> {
  const log = openLog(options.logFile);
  const child = spawn("sh", ["-c", guardScript, "guard", options.command, ...options.args], {
    stdio: ["ignore", log, log, "pipe"],
    detached: true,
    cwd: options.cwd,
  });
  if (log !== "ignore") closeSync(log);
  let end: ProcessEnd | null = null;
  const ended = new Promise<ProcessEnd>((resolve) => {
    child.once("exit", (code, signal) => {
      end = { code, signal };
      resolve(end);
    });
  });
  try {
    await once(child, "spawn");
  } catch (cause) {
    throw new LaunchError(
      `Could not start ${options.command}: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    );
  }
  const leash = child.stdio[3];
  if (leash === null || leash === undefined || !("write" in leash) || child.pid === undefined)
    throw new LaunchError(`${options.command} has no leash`);
  const { pid } = child;
  // The watcher may be gone before "done" reaches it, when something killed the whole group.
  leash.on("error", () => leash.destroy());
  void ended.then(() => leash.end("done\n"));
  return {
    pid,
    ended,
    hasEnded: () => end !== null,
    signal: (signal) => void child.kill(signal),
    async stop(graceMs = 5000) {
      if (end !== null) return;
      child.kill("SIGTERM");
      const force = setTimeout(() => child.kill("SIGKILL"), graceMs);
      await ended;
      clearTimeout(force);
    },
  };
}
