import { spawnSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, rmSync, statfsSync, writeSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "./temporary-directory.js";

const MIB = 1024 * 1024;
const BALLAST = "ballast";

/** A file system of its own, as small as a test wants it. */
export interface SmallDisk {
  path: string;
  freeBytes(): number;
  /** Fills it but for `leaveBytes`. */
  fill(leaveBytes?: number): void;
  /** Makes room again. */
  empty(): void;
  remove(): void;
}

/**
 * Mounts a file system of `mebibytes` at `path`, or at a folder of its own. Fails where mounting is not permitted: a
 * full disk cannot be told from a healthy one by anything that stands in for it, so a test that cannot have one has not
 * passed.
 */
export function smallDisk(mebibytes: number, path?: string): SmallDisk {
  const temporary = temporaryDirectory("disk");
  const at = path ?? join(temporary.path, "mount");
  mkdirSync(at, { recursive: true, mode: 0o700 });
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${mebibytes}m,mode=0700`, "parley-test", at], {
    encoding: "utf8",
  });
  if (mounted.status !== 0) {
    temporary.remove();
    throw new Error(
      `!!! The tests of full disks need to mount a small file system, as root: ${mounted.stderr || mounted.error?.message} !!!`,
    );
  }
  const freeBytes = (): number => {
    const { bavail, bsize } = statfsSync(at);
    return bavail * bsize;
  };
  return {
    path: at,
    freeBytes,
    fill(leaveBytes = 0) {
      const ballast = openSync(join(at, BALLAST), "a");
      try {
        for (let left = freeBytes() - leaveBytes; left > 0; left = freeBytes() - leaveBytes)
          writeSync(ballast, Buffer.alloc(Math.min(left, MIB), 1));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
      } finally {
        closeSync(ballast);
      }
    },
    empty: () => rmSync(join(at, BALLAST), { force: true }),
    remove() {
      // Lazily: a process that is just ending may still have a file open there.
      spawnSync("umount", ["-l", at]);
      temporary.remove();
    },
  };
}
