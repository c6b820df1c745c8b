import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The development key: the configured one, or one that is made once and kept in the data directory, readable by its owner only. */
export function developmentKey(configured: string | null, dataDirectory: string): string {
  if (configured !== null) return configured;
  const file = join(dataDirectory, "api-key");
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  const key = `pk_${randomBytes(24).toString("hex")}`;
  writeFileSync(file, `${key}\n`, { mode: 0o600, flag: "wx" });
  return key;
}
