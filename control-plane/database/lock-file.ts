import { existsSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { newIdentifier } from "#common/identifier";

/** Thrown when another live process holds the lock. */
export class LockedError extends Error {
  override readonly name = "LockedError";
}

/**
 * Takes a lock that dies with its process: a file that names the holder. PGlite has no lock of its own, and two processes on one
 * directory corrupt it. A holder is dead when no process has its id, or one that started at another time (ids are reused, above all
 * after a container restarts). Gives the function that releases it; throws LockedError while the holder lives.
 */
export function takeLock(path: string): () => void {
  const mine = JSON.stringify({ processId: process.pid, startedAt: startTime(process.pid), nonce: newIdentifier() });
  const draft = `${path}.${newIdentifier()}`;
  writeFileSync(draft, mine);
  try {
    // link, unlike rename, fails when the name is taken: exactly one of several starters wins.
    while (!tryLink(draft, path)) removeIfStale(path);
  } finally {
    rmSync(draft, { force: true });
  }
  return () => {
    if (readIfThere(path) === mine) rmSync(path, { force: true });
  };
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function removeIfStale(path: string): void {
  const content = readIfThere(path);
  if (content === null) return;
  const holder = parseHolder(content);
  if (holder !== null && isAlive(holder)) {
    throw new LockedError(`${path} is held by the running process ${holder.processId}; stop it, or choose another PARLEY_DATA_DIR`);
  }
  const aside = `${path}.${newIdentifier()}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  // Between reading and renaming another starter may have replaced the dead lock by its own: that one is put back.
  if (readFileSync(aside, "utf8") !== content) tryLink(aside, path);
  rmSync(aside, { force: true });
}

interface Holder {
  processId: number;
  startedAt: string | null;
}

function parseHolder(content: string): Holder | null {
  try {
    const value = JSON.parse(content) as Partial<Holder> | null;
    if (typeof value?.processId !== "number") return null;
    return { processId: value.processId, startedAt: value.startedAt ?? null };
  } catch {
    // A torn file belongs to nobody: the lock is written whole before it gets its name.
    return null;
  }
}

function isAlive(holder: Holder): boolean {
  try {
    process.kill(holder.processId, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  return holder.startedAt === null || holder.startedAt === startTime(holder.processId);
}

/** When a process began: boot id and clock ticks since boot (proc(5), field 22 of stat). Null where there is no /proc. */
function startTime(processId: number): string | null {
  const stat = readIfThere(`/proc/${processId}/stat`);
  const bootId = readIfThere("/proc/sys/kernel/random/boot_id");
  if (stat === null || bootId === null) return null;
  // The second field is a command name that may hold spaces and brackets: count from its end.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return `${bootId.trim()}:${fields[19] ?? ""}`;
}

function readIfThere(path: string): string | null {
  return existsSync(path) ? readFileSync(path, "utf8") : null;
}
