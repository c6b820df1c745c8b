import { ConfigError } from "#common/config/config";
import { runOnce } from "#common/lifecycle/role";
import { openDatabase } from "./database/open.js";

// Before an upgrade starts new control planes: they would do the same, but where it fails the old ones go on.
runOnce("migration", async ({ config, log }) => {
  if (config.DATABASE_URL === null) throw new ConfigError("DATABASE_URL is needed by the migration");
  const database = await openDatabase({ url: config.DATABASE_URL, dataDirectory: config.PARLEY_DATA_DIR, log });
  await database.close();
});
