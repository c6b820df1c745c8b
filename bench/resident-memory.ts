import { readFileSync } from "node:fs";

/** Memory that a process has now, bytes (proc(5), status). */
export function residentBytes(pid: number): number {
  const [, kibibytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1")) ?? [];
  return Number(kibibytes) * 1024;
}
