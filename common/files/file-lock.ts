import { spawnSync } from "node:child_process";
import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from "node:fs";
import { hostname } from "node:os";
import { PRIVATE_FILE } from "./durable-file.js";

/** Who wrote into a lock file last: as long as the lock is held, its holder. */
export interface LockHolder {
  pid: number;
  host: string;
}

/** Thrown when another process holds the lock; `holder` is what the file says of it, null where that cannot be read. */
export class LockedError extends Error {
  override readonly name = "LockedError";
  constructor(
    path: string,
    readonly holder: LockHolder | null,
  ) {
    super(`${path} is held by ${describeHolder(holder)}; stop it, or choose another PARLEY_DATA_DIR`);
  }
}

/** What `flock` exits with when the lock is held. */
const HELD = 1;

/**
 * Takes a lock that the kernel keeps on a file (flock(2)) and gives the function that releases it. It ends with this
 * process, however that ends, and holds for every process of the machine that sees the file: also from another
 * container, whose process ids mean nothing here. Node.js has no call for it: the program `flock` (util-linux) locks
 * the file that this process has open and leaves. The lock belongs to the open file, which stays with us alone, since
 * no other child inherits it. The file itself stays: a lock on a file that was removed and made again would be another
 * lock. What it says is for people. Throws LockedError while another process has it, and Error where it cannot be taken
 * at all.
 */
export function takeLock(path: string): () => void {
  const descriptor = openSync(path, "a+", PRIVATE_FILE);
  try {
    const tried = spawnSync("flock", ["-x", "-n", "3"], {
      stdio: ["ignore", "ignore", "pipe", descriptor],
      encoding: "utf8",
    });
    if (tried.error !== undefined) {
      const isMissing = (tried.error as NodeJS.ErrnoException).code === "ENOENT";
      throw new Error(
        isMissing
          ? "the program flock is not installed; on Debian: apt-get install -y util-linux"
          : `flock: ${tried.error.message}`,
        { cause: tried.error },
      );
    }
    if (tried.status === HELD) throw new LockedError(path, readHolder(path));
    if (tried.status !== 0)
      throw new Error(
        `${path} cannot be locked: ${tried.stderr.trim() || `flock ended with ${tried.status ?? tried.signal}`}`,
      );
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
  noteHolder(descriptor);
  let isHeld = true;
  return () => {
    if (isHeld) closeSync(descriptor);
    isHeld = false;
  };
}

function noteHolder(descriptor: number): void {
  try {
    ftruncateSync(descriptor);
    writeSync(descriptor, `${JSON.stringify({ pid: process.pid, host: hostname() } satisfies LockHolder)}\n`);
  } catch {
    // On a full disk the lock holds all the same; only nobody can read whose it is.
  }
}

/** The process that a lock file names; null where it names none: garbage, or a holder that has not written yet. */
function readHolder(path: string): LockHolder | null {
  try {
    const { pid, host } = JSON.parse(readFileSync(path, "utf8")) as Partial<LockHolder>;
    return typeof pid === "number" && typeof host === "string" ? { pid, host } : null;
  } catch {
    // Only the message is poorer for it.
    return null;
  }
}

/** A holder in words: its process id means something on its own machine only. */
function describeHolder(holder: LockHolder | null): string {
  if (holder === null) return "another process";
  return holder.host === hostname()
    ? `the running process ${holder.pid}`
    : `the process ${holder.pid} on ${holder.host}`;
}
