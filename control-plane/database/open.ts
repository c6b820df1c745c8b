import { join } from "node:path";
import { damaged } from "#common/data-directory/data-directory";
import type { Logger } from "#common/log";
import type { Database } from "./database.js";
import { corruptionOf } from "./failure.js";
import { migrate } from "./migrate.js";
import { migrations } from "./migrations/all.js";
import { openPglite } from "./pglite.js";
import { openPostgres } from "./postgres.js";

/**
 * Opens the database and brings its schema up to date: the Postgres server at `url`, or PGlite in the data directory.
 * A server that is not there yet is waited for. Throws when the embedded database is in use by another process or
 * damaged.
 */
export async function openDatabase(options: {
  url: string | null;
  dataDirectory: string;
  log: Logger;
}): Promise<Database> {
  const { url, dataDirectory, log } = options;
  const database = url === null ? await openPglite(dataDirectory) : await openPostgres(url, log);
  try {
    const applied = await migrate(database.db, migrations, new Date());
    if (applied.length > 0) log.info({ applied, engine: database.engine }, "schema brought up to date");
    return database;
  } catch (error) {
    await database.close();
    const corruption = url === null ? corruptionOf(error) : null;
    if (corruption !== null) throw damaged(join(dataDirectory, "database"), "database", corruption);
    throw error;
  }
}
