import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createFileDurably, PRIVATE_FOLDER } from "../files/durable-file.js";
import { createSealer, type Sealer } from "./sealer.js";

const KEY_FILE = "secret-key";
const KEY_BYTES = 32;

/**
 * The service's sealer: with the keys of `PARLEY_SECRET_KEY` (several separated by commas, the newest first), else with
 * one of its own that is made on first use and kept in the data directory, for its owner only. Throws RangeError for a
 * key that is too short or lost.
 */
export function openSealer(options: { secretKey: string | null; dataDirectory: string }): Sealer {
  const { secretKey, dataDirectory } = options;
  if (secretKey !== null) return createSealer(secretKey.split(",").map((key) => key.trim()));
  const kept = storedKey(dataDirectory);
  // Another key in its place would leave what is sealed closed for ever.
  if (kept === "")
    throw new RangeError(
      `${join(dataDirectory, KEY_FILE)} is empty: restore the key from a backup, or remove the file where nothing was sealed yet`,
    );
  return createSealer([kept]);
}

function storedKey(dataDirectory: string): string {
  const path = join(dataDirectory, KEY_FILE);
  const kept = readIfThere(path);
  if (kept !== null) return kept;
  mkdirSync(dataDirectory, { recursive: true, mode: PRIVATE_FOLDER });
  // Of several processes that start at once, all use the key of the first.
  createFileDurably(path, `${randomBytes(KEY_BYTES).toString("hex")}\n`);
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
