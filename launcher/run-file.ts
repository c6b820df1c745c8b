import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { writeFileDurably } from "#common/files/durable-file";

const runRecord = z.object({
  /** The launcher's. */
  pid: z.number().int(),
  baseUrl: z.string(),
  natsUrl: z.string(),
  redisUrl: z.string(),
  /** The launcher's own LiveKit server; null where there is none of its own. */
  liveKit: z
    .object({
      url: z.string(),
      apiKey: z.string(),
      apiSecret: z.string(),
      publicUrl: z.string(),
      tcpPort: z.number().int().nullable(),
    })
    .nullable()
    .default(null),
});

/** Where the cluster that uses a data directory can be reached; other commands of this machine find it by this. */
export type RunRecord = z.infer<typeof runRecord>;

const pathIn = (dataDirectory: string): string => join(dataDirectory, "run.json");

/** Readable by the owner only: whoever reaches the bus may make keys. */
export function writeRunFile(dataDirectory: string, record: RunRecord): void {
  writeFileDurably(pathIn(dataDirectory), `${JSON.stringify(record, null, 2)}\n`);
}

export function removeRunFile(dataDirectory: string): void {
  rmSync(pathIn(dataDirectory), { force: true });
}

/**
 * The record of the running cluster; null when none runs here (a record left by a killed launcher does not count, nor
 * does half of one).
 */
export function readRunFile(dataDirectory: string): RunRecord | null {
  let text: string;
  try {
    text = readFileSync(pathIn(dataDirectory), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
  const record = parseRecord(text);
  return record !== null && isRunning(record.pid) ? record : null;
}

/** Null for what is no record: nothing was started by whoever left it. */
function parseRecord(text: string): RunRecord | null {
  try {
    return runRecord.parse(JSON.parse(text));
  } catch {
    // An earlier release left half a file on a full disk.
    return null;
  }
}

/** Whether a process with this pid exists (EPERM: it does, and is someone else's). */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
