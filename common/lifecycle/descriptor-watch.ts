import { readdir, readFile } from "node:fs/promises";
import type { Logger } from "../log.js";

/*
 * A process without a file descriptor left takes no connection: what knocks waits in the kernel, and nothing in the
 * process hears of it. So each role looks from time to time how many it has left.
 */

const INTERVAL_MS = 10_000;
/** A process is short of descriptors from this share on, and no more once it is below the second. */
const SHORT_FROM = 0.9;
const SHORT_UNTIL = 0.8;

/** Descriptors of a process, and how many it may have. */
export interface Descriptors {
  open: number;
  limit: number;
}

/** Whether a process that was, or was not, short of descriptors is so now. */
export function isShortOfDescriptors(wasShort: boolean, { open, limit }: Descriptors): boolean {
  return open >= limit * (wasShort ? SHORT_UNTIL : SHORT_FROM);
}

/** Descriptors of this process; null where the system does not tell (it is Linux that has /proc). */
export async function readDescriptors(): Promise<Descriptors | null> {
  try {
    const limits = await readFile("/proc/self/limits", "utf8");
    const limit = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
    return { open: (await readdir("/proc/self/fd")).length, limit };
  } catch (error) {
    // Without one left none can be opened to count the others.
    return (error as NodeJS.ErrnoException).code === "EMFILE" ? { open: 1, limit: 1 } : null;
  }
}

/** Says in the log when this process is short of descriptors, and when it is not any more. Keeps no process alive. */
export function watchDescriptors(log: Logger): void {
  let isShort = false;
  const look = async (): Promise<void> => {
    const seen = await readDescriptors();
    if (seen === null) return;
    const wasShort = isShort;
    isShort = isShortOfDescriptors(wasShort, seen);
    if (isShort && !wasShort)
      log.warn(seen, "file descriptors are nearly used up: more connections will wait; raise the limit (ulimit -n)");
    if (wasShort && !isShort) log.info(seen, "there are file descriptors again");
  };
  setInterval(() => void look(), INTERVAL_MS).unref();
}
