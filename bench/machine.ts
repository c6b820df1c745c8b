import { execFileSync } from "node:child_process";
import { availableParallelism, cpus, loadavg, totalmem } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { machineTime, treeSeconds } from "./processor-time.js";

/** What a row says about where it was measured. */
export interface Machine {
  processor: string;
  cores: number;
  memoryGb: number;
  node: string;
  commit: string;
  /** Whether files differed from the commit. */
  changed: boolean;
  /** Of 1, 5 and 15 minutes, before the run. */
  loadAverage: number[];
}

export function describeMachine(): Machine {
  // A copy without its history has no commit, and a bare machine no git.
  const git = (...words: string[]): string | null => {
    try {
      return execFileSync("git", words, {
        encoding: "utf8",
        cwd: import.meta.dirname,
        stdio: ["ignore", "pipe", "ignore"],
      }).trim();
    } catch {
      return null;
    }
  };
  return {
    processor: cpus()[0]?.model ?? "unknown",
    cores: availableParallelism(),
    memoryGb: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    commit: git("rev-parse", "--short", "HEAD") ?? "unknown",
    changed: git("status", "--porcelain", "--untracked-files=no") !== "",
    loadAverage: loadavg().map((load) => Math.round(load * 100) / 100),
  };
}

/** Processor time, in cores, that went elsewhere. */
export interface OthersLoad {
  others: number;
  stolen: number;
}

/** Watches what the machine does besides this process and its descendants. */
export function watchOthers(): { read: () => OthersLoad } {
  const [startMs, machine, own] = [performance.now(), machineTime(), treeSeconds(process.pid)];
  return {
    read: () => {
      const seconds = (performance.now() - startMs) / 1000;
      const now = machineTime();
      const used = treeSeconds(process.pid) - own;
      return {
        others: Math.max(0, (now.busy - machine.busy - used) / seconds),
        stolen: (now.stolen - machine.stolen) / seconds,
      };
    },
  };
}

/** Load of others while nothing of ours runs. */
export async function loadBefore(durationMs: number): Promise<OthersLoad> {
  const watch = watchOthers();
  await delay(durationMs);
  return watch.read();
}
