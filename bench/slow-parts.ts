import type { TestCluster } from "#test/harness/cluster";
import { childrenOf, mainThreadSeconds, processSeconds } from "./processor-time.js";
import { table } from "./results.js";

/** Processor seconds by part of the cluster. */
export type PartSeconds = Record<string, number>;

/** What a worker computes models on. */
export const engineThreads = "worker: other threads";

/** Where a running cluster's processor time went so far. Replicas of a role count together. */
export function readParts(cluster: Pick<TestCluster, "processes">): PartSeconds {
  const parts: PartSeconds = {};
  const add = (name: string, seconds: number): void => {
    parts[name] = (parts[name] ?? 0) + seconds;
  };
  for (const { name, pid } of cluster.processes()) {
    if (pid === null) continue;
    const role = name.replace(/-\d+$/, "");
    if (role === "edge" || role === "worker") {
      const loop = mainThreadSeconds(pid);
      add(`${role}: event loop`, loop);
      add(role === "edge" ? "edge: encoder and other threads" : "worker: other threads", processSeconds(pid) - loop);
    } else add(role, processSeconds(pid));
    if (role === "worker") for (const child of childrenOf(pid)) add("worker: speech processes", processSeconds(child));
  }
  return parts;
}

export function subtractParts(after: PartSeconds, before: PartSeconds): PartSeconds {
  return Object.fromEntries(Object.entries(after).map(([name, seconds]) => [name, seconds - (before[name] ?? 0)]));
}

/** The parts of a run, the most expensive first. */
export function printParts(parts: PartSeconds, audioSeconds: number, wallSeconds: number): string {
  const total = Object.values(parts).reduce((sum, seconds) => sum + seconds, 0);
  const line = (name: string, seconds: number): (string | number)[] => [
    name,
    (seconds / audioSeconds) * 1000,
    (seconds / wallSeconds) * 100,
    `${((seconds / total) * 100).toFixed(0)} %`,
  ];
  const sorted = Object.entries(parts).sort((a, b) => b[1] - a[1]);
  const head = ["processor time of", "ms per s of audio", "% of a core", "share"];
  return table(head, [...sorted.map(([name, seconds]) => line(name, seconds)), line("all", total)]);
}
