import { readFileSync } from "node:fs";

/** File descriptors that a process started here may have (proc(5), limits). */
function mostOpenFiles(): number {
  const [, soft = ""] = /^Max open files\s+(\S+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
  return soft === "unlimited" ? Number.POSITIVE_INFINITY : Number(soft);
}

/** What a process has open besides the sockets that are counted. */
const OTHER_FILES = 500;

/** Says in one line that one process may not have so many sockets; null when it may. */
export function missingFiles(sockets: number): string | null {
  const most = mostOpenFiles();
  const wanted = sockets + OTHER_FILES;
  return most >= wanted ? null : `a process may open ${most} files, ${wanted} are needed: ulimit -n ${wanted}`;
}
