import { readFileSync } from "node:fs";
import type { TestCluster } from "./cluster.js";

/** Memory of a process, MB (proc(5), status). */
export interface ProcessMemory {
  /** What it has now: VmRSS. */
  nowMb: number;
  /** The most that it had: VmHWM. */
  mostMb: number;
  /**
   * The same without pages of program files, which the kernel drops when it wants room: RssFile is taken off. A
   * database in a library has 170 MB of them.
   */
  mostOwnMb: number;
}

/** The memory of a running process. */
export function memoryOf(pid: number): ProcessMemory {
  const status = readFileSync(`/proc/${pid}/status`, "latin1");
  const megabytes = (field: string): number =>
    Math.round(Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]) / 1024);
  return {
    nowMb: megabytes("VmRSS"),
    mostMb: megabytes("VmHWM"),
    mostOwnMb: megabytes("VmHWM") - megabytes("RssFile"),
  };
}

/** The memory of a cluster's process of that name, such as `edge`. */
export function memoryOfRole(cluster: Pick<TestCluster, "processes">, name: string): ProcessMemory {
  const pid = cluster.processes().find((process) => process.name === name)?.pid;
  if (pid === null || pid === undefined) throw new Error(`${name} does not run`);
  return memoryOf(pid);
}
