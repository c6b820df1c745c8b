import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { childrenOf } from "../processor-time.js";

/** Cores by number, lowest first. */
export type Cores = readonly number[];

/** Cores on which a process, told by its first thread, may run. */
export function allowedCores(pid: number): Cores {
  const [, list = ""] = /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return list.split(",").flatMap((part) => {
    const [first = 0, last = first] = part.split("-").map(Number);
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });
}

/**
 * What this process starts from now on runs on these cores and sizes its pools for them; its own other threads stay
 * where they are.
 */
export function pinWhatIsStarted(cores: Cores): void {
  taskset(["-c", "-p", cores.join(",")]);
}

/** Moves every thread of this process, and what it starts from now on. */
export function pinThisProcess(cores: Cores): void {
  taskset(["-a", "-c", "-p", cores.join(",")]);
}

/** Throws when a process that this one started, at any depth, may run elsewhere. */
export function checkPinned(cores: Cores, pid: number = process.pid): void {
  for (const child of childrenOf(pid)) {
    const found = allowedCores(child).join(",");
    if (found !== cores.join(","))
      throw new RangeError(`process ${child} runs on the cores ${found}, not on ${cores.join(",")}`);
    checkPinned(cores, child);
  }
}

/** taskset(1) of util-linux, on this process. */
function taskset(words: readonly string[]): void {
  execFileSync("taskset", [...words, String(process.pid)], { stdio: "pipe" });
}
