import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LaunchError } from "./launch-error.js";
import { isRunning } from "./run-file.js";

/**
 * Takes the data directory for this process: two launchers on one directory would corrupt the embedded database.
 * The lock names its holder by pid and start time, so that a lock left by a killed launcher, even with its pid in use again, is void.
 * Gives the release. Throws LaunchError when another launcher holds it.
 */
export function lockDataDirectory(dataDirectory: string): () => void {
  const lock = join(dataDirectory, "launcher.lock");
  const mine = join(dataDirectory, `launcher.lock.${process.pid}`);
  const content = `${process.pid} ${startTime(process.pid)}\n`;
  writeFileSync(mine, content);
  try {
    for (let attempt = 0; attempt < 10; attempt++) {
      try {
        // A link appears whole or not at all, and fails when the name exists.
        linkSync(mine, lock);
        return () => rmSync(lock, { force: true });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      }
      const holder = readHolder(lock);
      if (holder !== null && isRunning(holder.pid) && startTime(holder.pid) === holder.startTime) {
        throw new LaunchError(`Parley already runs on ${dataDirectory} (pid ${holder.pid}); stop it, or set PARLEY_DATA_DIR to another folder`);
      }
      if (holder !== null) removeVoid(lock, `${mine}.void`, holder);
    }
  } finally {
    rmSync(mine, { force: true });
    rmSync(`${mine}.void`, { force: true });
  }
  throw new LaunchError(`Could not lock ${dataDirectory}; remove ${lock} if no Parley runs there`);
}

/** Removes the void lock of `holder`. Moved aside and read again first: another launcher may have replaced it by its own meanwhile, which goes back. */
function removeVoid(lock: string, aside: string, holder: Holder): void {
  try {
    renameSync(lock, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  const moved = readHolder(aside);
  if (moved?.pid !== holder.pid || moved.startTime !== holder.startTime) linkSync(aside, lock);
}

interface Holder {
  pid: number;
  startTime: string;
}

function readHolder(lock: string): Holder | null {
  try {
    const [pid = "", time = ""] = readFileSync(lock, "utf8").trim().split(" ");
    return { pid: Number(pid), startTime: time };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** When a process started, in clock ticks since boot (proc(5), field 22 of stat); the same for all where there is no /proc. */
function startTime(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "unknown";
    throw error;
  }
}
