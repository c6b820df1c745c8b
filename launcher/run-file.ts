import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const runRecord = z.object({
  /** The launcher's. */
  pid: z.number().int(),
  baseUrl: z.string(),
  natsUrl: z.string(),
  redisUrl: z.string(),
});

/** Where the cluster that uses a data directory can be reached; other commands of this machine find it by this. */
export type RunRecord = z.infer<typeof runRecord>;

const pathIn = (dataDirectory: string): string => join(dataDirectory, "run.json");

/** Readable by the owner only: whoever reaches the bus may make keys. */
export function writeRunFile(dataDirectory: string, record: RunRecord): void {
  writeFileSync(pathIn(dataDirectory), `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
}

export function removeRunFile(dataDirectory: string): void {
  rmSync(pathIn(dataDirectory), { force: true });
}

/** The record of the running cluster; null when none runs here (a record left by a killed launcher does not count). */
export function readRunFile(dataDirectory: string): RunRecord | null {
  let text: string;
  try {
    text = readFileSync(pathIn(dataDirectory), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
  const record = runRecord.parse(JSON.parse(text));
  return isRunning(record.pid) ? record : null;
}

/** Whether a process with this pid exists (EPERM: it does, and is someone else's). */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
