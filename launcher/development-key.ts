import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { generateApiKey } from "#common/api-key";
import { createFileDurably } from "#common/files/durable-file";

const pathIn = (dataDirectory: string): string => join(dataDirectory, "api-key");

/**
 * The development key: the configured one, or one that is made once and kept in the data directory, readable by its
 * owner only.
 */
export function developmentKey(configured: string | null, dataDirectory: string): string {
  if (configured !== null) return configured;
  const kept = storedDevelopmentKey(dataDirectory);
  if (kept !== null) return kept;
  // An empty file opens nothing: an earlier release left it on a full disk.
  rmSync(pathIn(dataDirectory), { force: true });
  const key = generateApiKey();
  createFileDurably(pathIn(dataDirectory), `${key}\n`);
  return key;
}

/** The development key that is kept in a data directory; null when there is none. */
export function storedDevelopmentKey(dataDirectory: string): string | null {
  try {
    const key = readFileSync(pathIn(dataDirectory), "utf8").trim();
    return key === "" ? null : key;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
