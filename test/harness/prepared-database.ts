import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { STAMP_FILE } from "#common/data-directory/stamp";
import { createLogger } from "#common/log";
import { openDatabase } from "#control-plane/database/open";
import { preparedFolder } from "./prepared-folder.js";

/**
 * Puts an embedded database with the newest schema and no rows into a data directory: making one takes seconds of a
 * core, and dozens of tests need one. That a fresh directory works too is `test/control-plane/database.test.ts`'s
 * matter.
 */
export async function prepareDatabase(dataDirectory: string): Promise<void> {
  const prepared = await preparedFolder("database", async (path) => {
    const database = await openDatabase({ url: null, dataDirectory: path, log: createLogger("test", "fatal") });
    await database.close();
  });
  if (prepared === null) return;
  mkdirSync(dataDirectory, { recursive: true });
  // The database is of the data directory that it was made in, whose stamp goes with it.
  for (const name of ["database", STAMP_FILE])
    cpSync(join(prepared, name), join(dataDirectory, name), { recursive: true });
}
