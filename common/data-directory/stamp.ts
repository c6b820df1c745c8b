import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { createFileDurably, writeFileDurably } from "../files/durable-file.js";

/** The file that says what a folder is. */
export const STAMP_FILE = "parley.json";

const stampSchema = z.object({
  /** `data` for the data directory itself, else the folder's name. */
  folder: z.string(),
  format: z.int().min(1),
  /** Of the data directory that the folder was made in. */
  clusterId: z.string().regex(/^[0-9a-f]{32}$/),
  /** Bytes that JetStream was ever allowed to take; only in `nats`. */
  fileStoreBytes: z.int().min(0).optional(),
});
export type Stamp = z.infer<typeof stampSchema>;

/** The stamp of a folder, null where there is none, `unreadable` where it is not one. */
export function readStamp(folder: string): Stamp | "unreadable" | null {
  let text: string;
  try {
    text = readFileSync(join(folder, STAMP_FILE), "utf8");
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(String((error as NodeJS.ErrnoException).code))) return null;
    throw error;
  }
  try {
    return stampSchema.parse(JSON.parse(text));
  } catch {
    // What stands there instead is nobody's business; that it is no stamp is said to the caller.
    return "unreadable";
  }
}

const textOf = (stamp: Stamp): string => `${JSON.stringify(stamp)}\n`;

/** Stamps a folder, in place of the stamp that it had. */
export function writeStamp(folder: string, stamp: Stamp): void {
  writeFileDurably(join(folder, STAMP_FILE), textOf(stamp));
}

/** Stamps a folder that has no stamp yet; false where another process was quicker. */
export function createStamp(folder: string, stamp: Stamp): boolean {
  return createFileDurably(join(folder, STAMP_FILE), textOf(stamp));
}
