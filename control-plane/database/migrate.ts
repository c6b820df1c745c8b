import { sql } from "drizzle-orm";
import type { Db } from "./database.js";
import type { Migration } from "./migrations/migration.js";

/** Any fixed number: instances that start together take turns on it. */
const MIGRATION_LOCK = 7_262_753;

/**
 * Brings the schema up to date: runs each step that this database has not had, all in one transaction, one instance at
 * a time. Gives the names of the steps that ran. Steps of a newer release that the database already had are left alone.
 */
export async function migrate(db: Db, migrations: readonly Migration[], now: Date): Promise<string[]> {
  return await db.transaction(async (tx) => {
    await tx.execute(sql`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`);
    await tx.execute(
      sql`CREATE TABLE IF NOT EXISTS schema_migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL)`,
    );
    const done = await tx.select({ name: sql<string>`name` }).from(sql`schema_migrations`);
    const known = new Set(done.map((row) => row.name));
    const missing = migrations.filter((migration) => !known.has(migration.name));
    for (const { name, statements } of missing) {
      for (const statement of statements) await tx.execute(sql.raw(statement));
      await tx.execute(sql`INSERT INTO schema_migrations (name, applied_at) VALUES (${name}, ${now.toISOString()})`);
    }
    return missing.map((migration) => migration.name);
  });
}
