import { PGlite } from "@electric-sql/pglite";
import { PrivateFileSystem } from "./private-file-system.js";

/*
 * Creates an embedded database in the folder that is its argument, and ends: with 0 when it is whole. Its parent is on
 * the other end of the channel; without a parent nobody would use the database.
 */

process.on("disconnect", () => process.exit(1));
try {
  const database = await PGlite.create({ fs: new PrivateFileSystem(process.argv[2] ?? "") });
  await database.close();
  process.exit(0);
} catch (error) {
  process.stderr.write(error instanceof Error ? error.message : String(error), () => process.exit(1));
}
