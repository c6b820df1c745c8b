import { hostname } from "node:os";
import { join } from "node:path";
import { diskProblem } from "#common/files/disk-error";
import { LockedError, takeLock } from "#common/files/file-lock";
import { LaunchError } from "./launch-error.js";

/**
 * Takes the data directory for this process: two launchers on one directory would corrupt what is in it. The kernel
 * keeps the lock, in whichever container the other launcher runs, and lets go of it when this process ends, however
 * that happens. Gives the release. Throws LaunchError when another launcher holds it, or when it cannot be taken.
 */
export function lockDataDirectory(dataDirectory: string): () => void {
  const lock = join(dataDirectory, "launcher.lock");
  try {
    return takeLock(lock);
  } catch (cause) {
    if (!(cause instanceof LockedError)) {
      const reason = diskProblem(cause) ?? (cause instanceof Error ? cause.message : String(cause));
      throw new LaunchError(`Could not lock ${dataDirectory}: ${reason}`, { cause });
    }
    throw new LaunchError(
      `Parley already runs on ${dataDirectory}${runnerOf(cause)}; stop it, or set PARLEY_DATA_DIR to another folder`,
      { cause },
    );
  }
}

function runnerOf({ holder }: LockedError): string {
  if (holder === null) return "";
  return holder.host === hostname() ? ` (pid ${holder.pid})` : ` (pid ${holder.pid} on ${holder.host})`;
}
