import { readFileSync } from "node:fs";
import type { TestCluster } from "./cluster.js";

/** What a process has in memory now, and had at most, MB (proc(5): VmRSS and VmHWM of status). */
export interface ProcessMemory {
  nowMb: number;
  mostMb: number;
}

/** The memory of a running process. */
export function memoryOf(pid: number): ProcessMemory {
  const status = readFileSync(`/proc/${pid}/status`, "latin1");
  const megabytes = (field: string): number => Math.round(Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]) / 1024);
  return { nowMb: megabytes("VmRSS"), mostMb: megabytes("VmHWM") };
}

/** The memory of a cluster's process of that name, such as `edge`. */
export function memoryOfRole(cluster: Pick<TestCluster, "processes">, name: string): ProcessMemory {
  const pid = cluster.processes().find((process) => process.name === name)?.pid;
  if (pid === null || pid === undefined) throw new Error(`${name} does not run`);
  return memoryOf(pid);
}
