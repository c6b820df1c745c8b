import { randomBytes } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newIdentifier } from "../identifier.js";
import { createSealer, type Sealer } from "./sealer.js";

const KEY_FILE = "secret-key";
const KEY_BYTES = 32;

/**
 * The service's sealer: with the keys of `PARLEY_SECRET_KEY` (several separated by commas, the newest first), else with one of its own that is
 * made on first use and kept in the data directory, for its owner only. Throws RangeError for a key that is too short.
 */
export function openSealer(options: { secretKey: string | null; dataDirectory: string }): Sealer {
  const { secretKey, dataDirectory } = options;
  if (secretKey !== null) return createSealer(secretKey.split(",").map((key) => key.trim()));
  return createSealer([keptKey(dataDirectory)]);
}

function keptKey(dataDirectory: string): string {
  const path = join(dataDirectory, KEY_FILE);
  const kept = readIfThere(path);
  if (kept !== null) return kept;
  mkdirSync(dataDirectory, { recursive: true });
  const draft = `${path}.${newIdentifier()}`;
  writeFileSync(draft, `${randomBytes(KEY_BYTES).toString("hex")}\n`, { mode: 0o600, flush: true });
  try {
    // link fails when the name is taken: of several processes that start at once, all use the key of the first.
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readFileSync(path, "utf8").trim();
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
