import { readdirSync, readFileSync } from "node:fs";

/** Whether a process with this pid runs; a zombie that nobody has waited for does not count. */
export function isAlive(pid: number): boolean {
  const status = statusOf(pid);
  return status !== null && status.state !== "Z" && status.state !== "X";
}

/** The processes below `pid`: its children, theirs, and so on. */
export function descendantsOf(pid: number): number[] {
  const all = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  const children = all.filter((candidate) => statusOf(candidate)?.parent === pid);
  return children.flatMap((child) => [child, ...descendantsOf(child)]);
}

/** State letter and parent of a process (proc(5), fields 3 and 4 of stat); null when there is no such process. */
function statusOf(pid: number): { state: string; parent: number } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const [state = "", parent = ""] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { state, parent: Number(parent) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT" || (error as NodeJS.ErrnoException).code === "ESRCH")
      return null;
    throw error;
  }
}

/** Resolves when the process is gone; rejects when it still runs after `withinMs`. */
export async function untilGone(pid: number, withinMs: number): Promise<void> {
  await until(() => !isAlive(pid), { withinMs, what: `process ${pid} to end` });
}

/**
 * Polls `condition` until it holds; rejects after `withinMs` with what was waited for, and what there was in its place
 * where `seen` tells it.
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  { withinMs, what, seen }: { withinMs: number; what: string; seen?: () => unknown },
): Promise<void> {
  const untilMs = performance.now() + withinMs;
  while (!(await condition())) {
    if (performance.now() > untilMs) {
      const instead = seen === undefined ? "" : `, and saw ${JSON.stringify(seen())}`;
      throw new Error(`waited ${withinMs} ms in vain for ${what}${instead}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
