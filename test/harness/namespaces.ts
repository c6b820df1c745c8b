import { spawnSync } from "node:child_process";

/**
 * Begins a command line that runs a program as in another container of the same machine: with process ids of its own.
 */
export const anotherContainer = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"] as const;

/** Whether this process may do that; where it may not, the file says once what does not run. */
export function canUnshare(): boolean {
  const [command, ...args] = anotherContainer;
  const tried = spawnSync(command, [...args, "true"], { encoding: "utf8" });
  if (tried.status === 0) return true;
  console.warn(
    `\n!!! unshare is not permitted here (${(tried.stderr ?? "").trim()}): the tests across process namespaces DO NOT RUN. !!!\n`,
  );
  return false;
}
