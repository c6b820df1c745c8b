import { existsSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

/** Names the folder that a test run keeps what its tests share in; set by `global-setup.ts`. */
export const SHARED_FOLDER_VARIABLE = "TEST_SHARED_FOLDER";

/** Another process of the run makes it meanwhile. */
const WAIT_MS = 120_000;
const LOOK_AGAIN_MS = 100;

/**
 * Gives the path of what `make` puts into a folder of the test run, which exists by then: the first process of the run
 * to ask makes it, others wait for it. Null outside of a test run. Rejects where making it fails or takes too long.
 */
export async function preparedFolder(name: string, make: (path: string) => Promise<void>): Promise<string | null> {
  const root = process.env[SHARED_FOLDER_VARIABLE];
  if (root === undefined) return null;
  const prepared = join(root, name);
  if (existsSync(prepared)) return prepared;
  const making = `${prepared}-in-the-making`;
  if (isFirst(making)) {
    await make(making);
    renameSync(making, prepared);
  }
  for (let waitedMs = 0; !existsSync(prepared); waitedMs += LOOK_AGAIN_MS) {
    if (waitedMs > WAIT_MS) throw new RangeError(`${name} was not made in time`);
    await pause(LOOK_AGAIN_MS);
  }
  return prepared;
}

function isFirst(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}
