import { readFileSync } from "node:fs";

/** Whether a process with this pid runs; a zombie that nobody has waited for does not count. */
export function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return !["Z", "X"].includes(stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT" || (error as NodeJS.ErrnoException).code === "ESRCH") return false;
    throw error;
  }
}

/** Resolves when the process is gone; rejects when it still runs after `withinMs`. */
export async function untilGone(pid: number, withinMs: number): Promise<void> {
  await until(() => !isAlive(pid), { withinMs, what: `process ${pid} to end` });
}

/** Polls `condition` until it holds; rejects after `withinMs` with what was waited for. */
export async function until(condition: () => boolean | Promise<boolean>, options: { withinMs: number; what: string }): Promise<void> {
  const untilMs = performance.now() + options.withinMs;
  while (!(await condition())) {
    if (performance.now() > untilMs) throw new Error(`waited ${options.withinMs} ms in vain for ${options.what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
