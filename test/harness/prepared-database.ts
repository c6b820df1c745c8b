import { cpSync, existsSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { STAMP_FILE } from "#common/data-directory/stamp";
import { createLogger } from "#common/log";
import { openDatabase } from "#control-plane/database/open";

/** Names the folder that a test run keeps its prepared database in; set by `global-setup.ts`. */
export const PREPARED_DATABASE_VARIABLE = "TEST_PREPARED_DATABASE";

/** Another process of the run makes it meanwhile. */
const WAIT_MS = 120_000;
const LOOK_AGAIN_MS = 100;

/**
 * Puts an embedded database with the newest schema and no rows into a data directory: making one takes seconds of a
 * core, and dozens of tests need one. The first to ask makes it. That a fresh directory works too is
 * `test/control-plane/database.test.ts`'s matter.
 */
export async function prepareDatabase(dataDirectory: string): Promise<void> {
  const root = process.env[PREPARED_DATABASE_VARIABLE];
  if (root === undefined) return;
  const prepared = join(root, "prepared");
  if (!existsSync(prepared)) await make(root, prepared);
  mkdirSync(dataDirectory, { recursive: true });
  // The database is of the data directory that it was made in, whose stamp goes with it.
  for (const name of ["database", STAMP_FILE])
    cpSync(join(prepared, name), join(dataDirectory, name), { recursive: true });
}

async function make(root: string, prepared: string): Promise<void> {
  if (!isFirst(root)) {
    for (let waitedMs = 0; !existsSync(prepared); waitedMs += LOOK_AGAIN_MS) {
      if (waitedMs > WAIT_MS) throw new RangeError("the prepared database did not come");
      await pause(LOOK_AGAIN_MS);
    }
    return;
  }
  const making = join(root, "making/data");
  const database = await openDatabase({ url: null, dataDirectory: making, log: createLogger("test", "fatal") });
  await database.close();
  renameSync(making, prepared);
}

function isFirst(root: string): boolean {
  try {
    mkdirSync(join(root, "making"));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}
