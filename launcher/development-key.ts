import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateApiKey } from "#common/api-key";

/** The development key: the configured one, or one that is made once and kept in the data directory, readable by its owner only. */
export function developmentKey(configured: string | null, dataDirectory: string): string {
  if (configured !== null) return configured;
  const file = join(dataDirectory, "api-key");
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  const key = generateApiKey();
  writeFileSync(file, `${key}\n`, { mode: 0o600, flag: "wx" });
  return key;
}
